package dev.spur.controller.accounting;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.engine.state.RecordNumber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolTest {
    private static final int ALL = 1 << 30;

    @TempDir Path directory;

    private Path own;
    private Spool spool;

    @BeforeEach
    void open() throws IOException {
        own = directory.resolve("spool");
        spool = Spool.open(own);
    }

    @AfterEach
    void close() throws IOException {
        spool.close();
    }

    @Test
    void recordsAreReadInTheOrderInWhichTheyWereAppended() throws IOException {
        append(5, "a", "b");
        append(7, "c");

        assertThat(read(RecordNumber.NONE)).containsExactly("a", "b", "c");
        assertThat(read(new RecordNumber(5, 1))).containsExactly("b", "c");
        assertThat(read(new RecordNumber(7, 1))).isEmpty();
    }

    @Test
    void aReaderGoesOnWithWhatIsAppendedLaterInThisFileAndTheNext() throws IOException {
        append(1, "a");
        var reader = spool.readBehind(RecordNumber.NONE);

        assertThat(texts(reader.next(ALL))).containsExactly("a");
        append(2, "b");
        assertThat(texts(reader.next(ALL))).containsExactly("b");
        spool.linkInto(snapshot("one"));
        append(3, "c");
        assertThat(texts(reader.next(ALL))).containsExactly("c");
        assertThat(texts(reader.next(ALL))).isEmpty();
    }

    @Test
    void aReaderTakesNoMoreThanItAskedForAndKnowsHowManyAreLeft() throws IOException {
        append(1, "a", "b", "c");
        var reader = spool.readBehind(RecordNumber.NONE);

        var first = reader.next(1);

        assertThat(texts(first)).containsExactly("a");
        assertThat(first.last()).isEqualTo(new RecordNumber(1, 1));
        assertThat(first.waiting()).isEqualTo(2);
    }

    @Test
    void moreThanAFileHoldsGoesToTheNextAndIsReadAsOne() throws IOException {
        var large = "x".repeat(1 << 20);
        for (var entry = 1; entry <= 40; entry++) {
            append(entry, large + entry);
        }

        assertThat(spool.segments()).hasSizeGreaterThan(2);
        assertThat(read(RecordNumber.NONE)).hasSize(40).last().isEqualTo(large + 40);
        reopen();
        assertThat(read(RecordNumber.NONE)).hasSize(40).last().isEqualTo(large + 40);
    }

    @Test
    void entriesThatAreReplayedAreSkippedAlsoIfTheFileHasHalfOfOne() throws IOException {
        append(5, "a");
        reopen();

        append(4, "before");
        append(5, "a", "b");
        append(5, "a", "b");

        assertThat(read(RecordNumber.NONE)).containsExactly("a", "b");
    }

    @Test
    void aTornEndIsCutOffAndTheReplayBringsItBack() throws IOException {
        append(1, "a");
        append(2, "b");
        spool.close();
        change(newestFile(), file -> file.truncate(file.size() - 1));

        spool = Spool.open(own);

        assertThat(spool.last()).isEqualTo(new RecordNumber(1, 1));
        append(1, "a");
        append(2, "b");
        assertThat(read(RecordNumber.NONE)).containsExactly("a", "b");
    }

    @Test
    void behindAHoleThatAPowerCutLeftNothingIsTrusted() throws IOException {
        append(1, "a");
        append(2, "b");
        append(3, "c");
        spool.close();
        var frame = SpoolSegment.FRAME + 1;
        change(
                newestFile(),
                file -> file.write(ByteBuffer.allocate(frame), SpoolSegment.HEADER + frame));

        spool = Spool.open(own);

        assertThat(read(RecordNumber.NONE)).containsExactly("a");
    }

    @Test
    void damageOfWhatASnapshotReliesOnIsRefusedInWords() throws IOException {
        append(1, "a");
        spool.linkInto(snapshot("one"));
        spool.close();
        change(
                own.resolve("records-00000001.spool"),
                file -> file.write(ByteBuffer.wrap(new byte[] {'z'}), file.size() - 1));

        assertThatThrownBy(() -> Spool.open(own))
                .isInstanceOf(DamagedSpoolException.class)
                .hasMessageContaining("records-00000001.spool")
                .hasMessageContaining("aside and start again");
    }

    @Test
    void aMissingFileBeforeThoseThatASnapshotReliesOnIsRefused() throws IOException {
        append(1, "a");
        spool.linkInto(snapshot("one"));
        append(2, "b");
        spool.linkInto(snapshot("two"));
        append(3, "c");
        spool.linkInto(snapshot("three"));
        spool.close();
        Files.delete(own.resolve("records-00000002.spool"));

        assertThatThrownBy(() -> Spool.open(own)).isInstanceOf(DamagedSpoolException.class);
    }

    @Test
    void whatTheDatabaseHasIsDeletedAndTheRestIsNot() throws IOException {
        for (var entry = 1; entry <= 5; entry++) {
            append(entry, "r" + entry);
            spool.linkInto(snapshot("at" + entry));
        }

        spool.forget(new RecordNumber(3, 1));

        assertThat(own.resolve("records-00000003.spool")).doesNotExist();
        assertThat(read(new RecordNumber(3, 1))).containsExactly("r4", "r5");
        assertThat(spool.bytesBehind(new RecordNumber(5, 1))).isZero();
        assertThat(spool.bytesBehind(new RecordNumber(4, 1))).isPositive();
    }

    @Test
    void whoeverLacksWhatWasDeletedIsToldOfTheGap() throws IOException {
        for (var entry = 1; entry <= 5; entry++) {
            append(entry, "r" + entry);
            spool.linkInto(snapshot("at" + entry));
        }
        spool.forget(new RecordNumber(3, 1));

        var behind = spool.readBehind(new RecordNumber(2, 1)).next(ALL);
        var upToDate = spool.readBehind(new RecordNumber(3, 1)).next(ALL);

        assertThat(behind.gap()).isTrue();
        assertThat(texts(behind)).containsExactly("r4", "r5");
        assertThat(upToDate.gap()).isFalse();
    }

    @Test
    void aSnapshotBringsWhatAnotherControllerLacks() throws IOException {
        append(1, "a");
        append(2, "b");
        var links = snapshot("one");
        spool.linkInto(links);
        try (var other = Spool.open(directory.resolve("other"))) {
            other.append(1, List.of("a".getBytes(UTF_8)));

            other.adopt(links);
            other.append(2, List.of("b".getBytes(UTF_8)));
            other.append(3, List.of("c".getBytes(UTF_8)));

            assertThat(texts(other.readBehind(RecordNumber.NONE).next(ALL)))
                    .containsExactly("a", "b", "c");
        }
    }

    @Test
    void whatIsHereAlreadyStaysWhenTheOwnSnapshotIsReadAgain() throws IOException {
        append(1, "a");
        var links = snapshot("one");
        spool.linkInto(links);
        append(2, "b");
        reopen();

        spool.adopt(links);

        assertThat(read(RecordNumber.NONE)).containsExactly("a", "b");
    }

    @Test
    void aSpoolThatWasMovedAsideComesBackFromTheOwnSnapshot() throws IOException {
        append(1, "a");
        var links = snapshot("one");
        spool.linkInto(links);
        spool.close();
        Files.move(own, directory.resolve("aside"));

        spool = Spool.open(own);
        spool.adopt(links);

        assertThat(read(RecordNumber.NONE)).containsExactly("a");
    }

    /// All that it missed was stored and deleted meanwhile. What it has ends before that, so it
    /// must not look as if it went on without a gap.
    @Test
    void aSpoolThatMissedWhatIsGoneEverywhereDoesNotHideThat() throws IOException {
        append(1, "a");
        try (var other = Spool.open(directory.resolve("other"))) {
            other.append(1, List.of("a".getBytes(UTF_8)));
            for (var entry = 2; entry <= 5; entry++) {
                append(entry, "r" + entry);
                spool.linkInto(snapshot("at" + entry));
            }
            spool.forget(new RecordNumber(5, 1));
            var links = snapshot("last");
            spool.linkInto(links);

            other.adopt(links);
            other.append(6, List.of("r6".getBytes(UTF_8)));

            assertThat(other.readBehind(new RecordNumber(1, 1)).next(ALL).gap()).isTrue();
            assertThat(texts(other.readBehind(new RecordNumber(5, 1)).next(ALL)))
                    .containsExactly("r6");
        }
    }

    @Test
    void whatCouldNotBeForcedIsWrittenAnew() throws IOException {
        spool.close();
        var forced = new AtomicInteger();
        spool =
                Spool.open(
                        own,
                        _ -> {
                            if (forced.getAndIncrement() == 0) {
                                throw new IOException("the disk does not answer");
                            }
                        });
        append(1, "a");
        var file = newestFile();
        var before = Files.getAttribute(file, "unix:ino");
        assertThatThrownBy(() -> spool.linkInto(snapshot("one"))).isInstanceOf(IOException.class);

        spool.linkInto(snapshot("two"));

        assertThat(Files.getAttribute(file, "unix:ino")).isNotEqualTo(before);
        assertThat(read(RecordNumber.NONE)).containsExactly("a");
    }

    @Test
    void nobodyElseMayLookIn() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
    }

    private interface Change {
        void of(FileChannel file) throws IOException;
    }

    private static void change(Path path, Change change) throws IOException {
        try (var file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            change.of(file);
        }
    }

    private Path newestFile() {
        return spool.segments().getLast().file;
    }

    private Path snapshot(String name) throws IOException {
        return Files.createDirectories(directory.resolve("snapshots").resolve(name));
    }

    private void reopen() throws IOException {
        spool.close();
        spool = Spool.open(own);
    }

    private void append(long entry, String... records) {
        var encoded = new ArrayList<byte[]>();
        for (var record : records) {
            encoded.add(record.getBytes(UTF_8));
        }
        spool.append(entry, encoded);
    }

    private List<String> read(RecordNumber seen) throws IOException {
        try (var reader = spool.readBehind(seen)) {
            return texts(reader.next(ALL));
        }
    }

    private static List<String> texts(SpoolReader.Batch batch) {
        return batch.records().stream().map(bytes -> new String(bytes, UTF_8)).toList();
    }
}
