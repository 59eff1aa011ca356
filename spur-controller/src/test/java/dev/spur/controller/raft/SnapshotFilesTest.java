package dev.spur.controller.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.ratis.server.protocol.TermIndex;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotFilesTest {
    @TempDir Path scratch;

    private Path directory;
    private SnapshotFiles files;

    @BeforeEach
    void open() throws IOException {
        directory = scratch.resolve("ours");
        files = reopened();
    }

    @Test
    void whatWasWrittenIsFoundAfterARestart() throws IOException {
        write(2, 10, "the state");

        assertThat(reopened().newestIndex()).isEqualTo(10);
        assertThat(contentOf(reopened())).isEqualTo("the state");
    }

    @Test
    void aSnapshotThatRatisBroughtIsRead() throws IOException {
        write(2, 10, "the state");
        asRatisWrites(directory.resolve("snapshot.2_10.md5"));

        assertThat(contentOf(reopened())).isEqualTo("the state");
    }

    @Test
    void whatWasInstalledIsTheNewest() throws IOException {
        write(1, 5, "ours");
        copyAs(1, 5, 3, 70);

        files.installed();

        assertThat(files.newestIndex()).isEqualTo(70);
    }

    @Test
    void olderOnesGoOnceANewerIsWhole() throws IOException {
        write(1, 5, "old");
        write(1, 9, "new");

        assertThat(names())
                .containsExactlyInAnyOrder("snapshot.1_9", "snapshot.1_9.md5", "files.1_9");
    }

    @Test
    void aNewerOneThatWasInstalledWhileAnOlderWasWrittenStays() throws IOException {
        write(1, 5, "installed");
        copyAs(1, 5, 3, 70);
        files.installed();

        write(2, 20, "written meanwhile");

        assertThat(files.newestIndex()).isEqualTo(70);
        assertThat(contentOf(reopened())).isEqualTo("installed");
    }

    @Test
    void oneWithoutItsDigestDoesNotExist() throws IOException {
        write(1, 5, "whole");
        Files.writeString(directory.resolve("snapshot.1_9"), "half");

        assertThat(reopened().newestIndex()).isEqualTo(5);
    }

    @Test
    void aDamagedOneIsRefused() throws IOException {
        write(1, 5, "the state");
        Files.writeString(directory.resolve("snapshot.1_5"), "another");

        assertThatThrownBy(() -> contentOf(reopened()))
                .isInstanceOf(DamagedLogException.class)
                .hasMessageContaining("does not match its checksum");
    }

    @Test
    void theLastByteOfADamagedOneIsNeverGiven() throws IOException {
        write(1, 5, "the state");
        Files.writeString(directory.resolve("snapshot.1_5"), "the_state");
        var opened = reopened();

        assertThatThrownBy(() ->
                        opened.read(
                                Objects.requireNonNull(opened.getLatestSnapshot()),
                                in -> {
                                    assertThat(in.readNBytes(8))
                                            .isEqualTo("the_stat".getBytes(UTF_8));
                                    in.read();
                                    throw new AssertionError("it was given");
                                }))
                .isInstanceOf(DamagedLogException.class);
    }

    @Test
    void damageIsToldBeforeWhatItsReaderThinksOfIt() throws IOException {
        write(1, 5, "the state");
        var sound = reopened();
        Reading puzzled =
                files ->
                        files.read(
                                Objects.requireNonNull(files.getLatestSnapshot()),
                                _ -> {
                                    throw new IllegalArgumentException("of a newer release");
                                });

        assertThatThrownBy(() -> puzzled.of(sound)).hasMessage("of a newer release");
        Files.writeString(directory.resolve("snapshot.1_5"), "another");
        assertThatThrownBy(() -> puzzled.of(sound)).isInstanceOf(DamagedLogException.class);
    }

    private interface Reading {
        void of(SnapshotFiles files) throws IOException;
    }

    @Test
    void aDigestThatIsNoneIsRefusedByName() throws IOException {
        write(1, 5, "the state");
        Files.writeString(directory.resolve("snapshot.1_5.md5"), "");

        assertThatThrownBy(this::reopened)
                .isInstanceOf(DamagedLogException.class)
                .hasMessageContaining("snapshot.1_5.md5");
    }

    @Test
    void filesBesideTheStateAreSentButNotReadBeforehand() throws IOException {
        write(1, 5, "the state");
        Files.writeString(
                directory.resolve("files.1_5/segment-00000001.blobs.md5"), "as Ratis does");

        var sent = Objects.requireNonNull(reopened().getLatestSnapshot()).getFiles();

        assertThat(sent)
                .map(file -> file.getPath().getFileName().toString())
                .containsExactly("snapshot.1_5", "segment-00000001.blobs");
        assertThat(sent.get(1).getFileDigest()).isNull();
    }

    @Test
    void nothingRemainsOfOneThatCouldNotBeWritten() throws IOException {
        write(1, 5, "whole");
        var full =
                new Replica.Image() {
                    @Override
                    public void writeTo(OutputStream out) throws IOException {
                        out.write(new byte[100_000]);
                    }

                    @Override
                    public void linkFiles(Path target) throws IOException {
                        Files.writeString(target.resolve("segment-00000001.blobs"), "scripts");
                        throw new IOException("No space left on device");
                    }
                };

        assertThatThrownBy(() -> files.write(TermIndex.valueOf(1, 9), full))
                .hasMessage("No space left on device");

        assertThat(names())
                .containsExactlyInAnyOrder("snapshot.1_5", "snapshot.1_5.md5", "files.1_5");
        assertThat(files.newestIndex()).isEqualTo(5);
    }

    @Test
    void oursIsBackWhenACrashCameBetweenMovingItAsideAndMovingAnothersIn() throws IOException {
        write(1, 5, "ours");
        var storage = directory.resolveSibling("storage");
        Files.createDirectories(storage.resolve("tmp/snapshot-1"));
        Files.move(directory, storage.resolve("sm.tmp"));

        var again = new SnapshotFiles(storage.resolve("sm"), true);

        assertThat(contentOf(again)).isEqualTo("ours");
        assertThat(storage.resolve("tmp")).doesNotExist();
    }

    @Test
    void anothersStaysWhenACrashCameBeforeOursWasDeleted() throws IOException {
        write(1, 5, "ours");
        var storage = directory.resolveSibling("storage");
        Files.createDirectories(storage);
        Files.move(directory, storage.resolve("sm.tmp"));
        write(3, 70, "another's");
        Files.move(directory, storage.resolve("sm"));

        var again = new SnapshotFiles(storage.resolve("sm"), true);

        assertThat(contentOf(again)).isEqualTo("another's");
        assertThat(storage.resolve("sm.tmp")).doesNotExist();
    }

    private SnapshotFiles reopened() throws IOException {
        return new SnapshotFiles(directory, true);
    }

    private void write(long term, long index, String text) throws IOException {
        var _ =
                files.write(
                        TermIndex.valueOf(term, index),
                        new Replica.Image() {
                            @Override
                            public void writeTo(OutputStream out) throws IOException {
                                out.write(text.getBytes(UTF_8));
                            }

                            @Override
                            public void linkFiles(Path target) throws IOException {
                                Files.writeString(
                                        target.resolve("segment-00000001.blobs"), "scripts");
                            }
                        });
    }

    private static String contentOf(SnapshotFiles files) throws IOException {
        var content = new StringBuilder();
        files.read(
                Objects.requireNonNull(files.getLatestSnapshot()),
                in -> content.append(new String(in.readAllBytes(), UTF_8)));
        return content.toString();
    }

    private void copyAs(long term, long index, long newTerm, long newIndex) throws IOException {
        var from = directory.resolve("snapshot.%d_%d".formatted(term, index));
        var to = directory.resolve("snapshot.%d_%d".formatted(newTerm, newIndex));
        Files.copy(from, to);
        Files.copy(Path.of(from + ".md5"), Path.of(to + ".md5"));
        asRatisWrites(Path.of(to + ".md5"));
        Files.createDirectory(directory.resolve("files.%d_%d".formatted(newTerm, newIndex)));
    }

    /// As `md5sum` does.
    private static void asRatisWrites(Path digest) throws IOException {
        var name = digest.getFileName().toString().replace(".md5", "");
        Files.writeString(digest, Files.readString(digest).strip() + " *" + name + "\n");
    }

    private java.util.List<String> names() throws IOException {
        try (var found = Files.list(directory)) {
            return found.map(file -> file.getFileName().toString()).toList();
        }
    }
}
