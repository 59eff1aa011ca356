package dev.spur.controller.blob;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlobStoreTest {
    @TempDir Path directory;

    @Test
    void whatWasPutIsFoundAgainAfterARestart() throws IOException {
        String hash;
        try (var store = open()) {
            hash = put(store, "#!/bin/sh\nhostname\n");
        }

        try (var store = open()) {
            assertThat(store.get(hash)).hasValue("#!/bin/sh\nhostname\n".getBytes(UTF_8));
        }
    }

    @Test
    void scriptsAreOpenToTheirOwnerOnly() throws IOException {
        var blobs = directory.resolve("blobs");

        BlobStore.open(blobs).close();

        assertThat(Files.getPosixFilePermissions(blobs))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void theSameBytesAreKeptOnce() throws IOException {
        try (var store = open()) {
            put(store, "the same");
            var size = bytesOnDisk();

            put(store, "the same");

            assertThat(bytesOnDisk()).isEqualTo(size);
        }
    }

    @Test
    void aTornEndIsCutOffAndCanBePutAgain() throws IOException {
        String first;
        String second;
        try (var store = open()) {
            first = put(store, "first");
            second = put(store, "second");
        }
        try (var file = FileChannel.open(onlyFile(), StandardOpenOption.WRITE)) {
            file.truncate(file.size() - 2);
        }

        try (var store = open()) {
            assertThat(store.contains(first)).isTrue();
            assertThat(store.contains(second)).isFalse();
            put(store, "second");
            assertThat(store.get(second)).hasValue("second".getBytes(UTF_8));
        }
    }

    @Test
    void whatNobodyRefersToIsCollectedWithItsFile() throws IOException {
        try (var store = open()) {
            var dead = put(store, "dead".repeat(1000));
            var living = put(store, "living");
            store.linkInto(Files.createTempDirectory(directory, "snapshot"));
            store.published();

            store.collect(Set.of(living), store.mark());

            assertThat(store.contains(dead)).isFalse();
            assertThat(store.get(living)).hasValue("living".getBytes(UTF_8));
            assertThat(blobs().resolve("segment-00000001.blobs")).doesNotExist();
        }
    }

    @Test
    void whatWasPutAfterTheMarkIsNotCollected() throws IOException {
        try (var store = open()) {
            store.published();
            var mark = store.mark();
            var fresh = put(store, "fresh");
            store.published();

            store.collect(Set.of(), mark);

            assertThat(store.contains(fresh)).isTrue();
        }
    }

    @Test
    void whatIsPutButNotYetPublishedIsNotCollected() throws IOException {
        try (var store = open()) {
            store.published();
            var unpublished = put(store, "its job is being applied");

            store.collect(Set.of(), store.mark());

            assertThat(store.contains(unpublished)).isTrue();
        }
    }

    @Test
    void whatASnapshotBroughtIsNotCollectedByAMarkFromBefore() throws IOException {
        var snapshot = Files.createDirectory(directory.resolve("snapshot"));
        String hash;
        try (var other = BlobStore.open(directory.resolve("other"))) {
            hash = put(other, "script");
            other.linkInto(snapshot);
        }
        try (var store = open()) {
            put(store, "own");
            store.published();
            var mark = store.mark();
            store.adopt(snapshot);

            store.collect(Set.of(), mark);

            assertThat(store.contains(hash)).isTrue();
        }
    }

    @Test
    void anotherControllerTakesOverLinkedFiles() throws IOException {
        var snapshot = Files.createDirectory(directory.resolve("snapshot"));
        String hash;
        try (var store = open()) {
            hash = put(store, "script");
            store.linkInto(snapshot);
        }

        try (var other = BlobStore.open(directory.resolve("other"))) {
            var own = put(other, "own");
            other.adopt(snapshot);
            var later = put(other, "later");

            assertThat(other.get(hash)).hasValue("script".getBytes(UTF_8));
            assertThat(other.get(own)).hasValue("own".getBytes(UTF_8));
            assertThat(other.get(later)).hasValue("later".getBytes(UTF_8));
        }
    }

    @Test
    void aFileThatASnapshotLinksNeverGrowsAgain() throws IOException {
        var snapshot = Files.createDirectory(directory.resolve("snapshot"));
        try (var store = open()) {
            put(store, "before");
            store.linkInto(snapshot);
        }
        var linked = snapshot.resolve("segment-00000001.blobs");
        var size = Files.size(linked);
        Files.delete(blobs().resolve("segment-00000002.blobs")); // as if the power had failed here

        try (var store = open()) {
            put(store, "after");
        }

        assertThat(Files.size(linked)).isEqualTo(size);
    }

    @Test
    void aTornFileThatNoSnapshotLinksIsCutOffEvenIfItIsNotTheLast() throws IOException {
        String torn;
        try (var store = open()) {
            torn = put(store, "torn by a power failure");
        }
        var first = onlyFile();
        try (var file = FileChannel.open(first, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(4), file.size() - 4);
        }
        Files.createFile(blobs().resolve("segment-00000002.blobs"));

        try (var store = open()) {
            assertThat(store.contains(torn)).isFalse();
        }
    }

    @Test
    void aFileThatCouldNotBeForcedOnceIsNeverPartOfASnapshot() throws IOException {
        var snapshot = Files.createDirectory(directory.resolve("snapshot"));
        var failed = new AtomicBoolean();
        BlobStore.Disk failsOnce =
                file -> {
                    if (failed.compareAndSet(false, true)) {
                        throw new IOException("Input/output error");
                    }
                    file.force(true);
                };
        try (var store = BlobStore.open(blobs(), failsOnce)) {
            var hash = put(store, "script");
            var lost = inode(onlyFile());
            assertThatThrownBy(() -> store.linkInto(snapshot)).isInstanceOf(IOException.class);

            store.linkInto(snapshot);

            assertThat(inodesIn(snapshot)).hasSize(1).doesNotContain(lost);
            assertThat(store.get(hash)).hasValue("script".getBytes(UTF_8));
            assertThat(takenOver(snapshot, hash)).isTrue();
        }
    }

    @Test
    void aFileOfAFormerProcessThatNoSnapshotLinksIsWrittenAnew() throws IOException {
        var snapshot = Files.createDirectory(directory.resolve("snapshot"));
        String hash;
        try (var store = open()) {
            hash = put(store, "its file could perhaps not be forced");
        }
        var lost = inode(onlyFile());

        try (var store = open()) {
            store.linkInto(snapshot);
        }

        assertThat(inodesIn(snapshot)).hasSize(1).doesNotContain(lost);
        assertThat(takenOver(snapshot, hash)).isTrue();
    }

    @Test
    void aReaderFindsWhatIsMovedToAnotherFileMeanwhile() throws Exception {
        try (var store = open();
                var pool = Executors.newSingleThreadExecutor()) {
            var hash = put(store, "living");
            var done = new AtomicBoolean();
            var reader =
                    pool.submit(() -> {
                        var reads = 0;
                        while (!done.get()) {
                            assertThat(store.get(hash)).hasValue("living".getBytes(UTF_8));
                            reads++;
                        }
                        return reads;
                    });
            try {
                for (var i = 0; i < 300; i++) {
                    put(store, "dead %d".formatted(i).repeat(100));
                    store.linkInto(Files.createTempDirectory(directory, "snapshot"));
                    store.published();
                    store.collect(Set.of(hash), store.mark());
                }
            } finally {
                done.set(true);
            }

            assertThat(reader.get()).isPositive();
        }
    }

    @Test
    void aReaderThatIsInterruptedDoesNotCloseTheFileForOthers() throws Exception {
        try (var store = open()) {
            var hash = put(store, "script");
            var interrupted =
                    Thread.ofPlatform()
                            .start(() -> {
                                Thread.currentThread().interrupt();
                                assertThatThrownBy(() -> store.get(hash))
                                        .isInstanceOf(UncheckedIOException.class);
                            });
            interrupted.join();

            assertThat(store.get(hash)).hasValue("script".getBytes(UTF_8));
            assertThat(store.contains(put(store, "another"))).isTrue();
        }
    }

    @Test
    void aScriptIsPutThoughAReaderThatIsInterruptedClosesItsFile() throws Exception {
        var interrupted = new AtomicBoolean();
        var shared =
                new BlobStore.Disk() {
                    @Override
                    public void force(FileChannel file) throws IOException {
                        file.force(true);
                    }

                    @Override
                    public void write(FileChannel file, ByteBuffer bytes, long at)
                            throws IOException {
                        if (interrupted.compareAndSet(false, true)) {
                            file.write(bytes.slice(0, 20), at);
                            bytes.position(20);
                            file.close();
                        }
                        BlobStore.Disk.super.write(file, bytes, at);
                    }
                };
        try (var store = BlobStore.open(blobs(), shared)) {
            var first = put(store, "put meanwhile");
            var second = put(store, "put afterwards");

            assertThat(interrupted).isTrue();
            assertThat(store.get(first)).hasValue("put meanwhile".getBytes(UTF_8));
            assertThat(store.get(second)).hasValue("put afterwards".getBytes(UTF_8));
        }
    }

    @Test
    void aScriptIsPutWhileASnapshotWaitsForTheDisk() throws Exception {
        var opened = new AtomicReference<BlobStore>();
        BlobStore.Disk slow =
                file -> {
                    var store = opened.get();
                    var meanwhile = CompletableFuture.runAsync(() -> put(store, "put meanwhile"));
                    assertThat(meanwhile).succeedsWithin(Duration.ofSeconds(20));
                    file.force(true);
                };
        try (var store = BlobStore.open(blobs(), slow)) {
            opened.set(store);
            put(store, "before");

            store.linkInto(Files.createDirectory(directory.resolve("snapshot")));

            assertThat(store.contains(BlobStore.hashOf("put meanwhile".getBytes(UTF_8)))).isTrue();
        }
    }

    @Test
    void filesAreNamedAlikeInEveryLanguage() throws IOException {
        var usual = Locale.getDefault();
        String hash;
        Locale.setDefault(Locale.of("fa", "IR"));
        try (var store = open()) {
            hash = put(store, "script");
        } finally {
            Locale.setDefault(usual);
        }

        try (var store = open()) {
            assertThat(store.contains(hash)).isTrue();
        }
    }

    private BlobStore open() throws IOException {
        return BlobStore.open(blobs());
    }

    private Path blobs() {
        return directory.resolve("blobs");
    }

    private static String put(BlobStore store, String text) {
        var bytes = text.getBytes(UTF_8);
        var hash = BlobStore.hashOf(bytes);
        store.put(hash, bytes);
        return hash;
    }

    private Path onlyFile() throws IOException {
        try (var files = Files.list(blobs())) {
            return files.findFirst().orElseThrow();
        }
    }

    private boolean takenOver(Path snapshot, String hash) throws IOException {
        try (var other = BlobStore.open(directory.resolve("other"))) {
            other.adopt(snapshot);
            return other.contains(hash);
        }
    }

    private static List<Object> inodesIn(Path folder) throws IOException {
        var inodes = new ArrayList<Object>();
        try (var files = Files.list(folder)) {
            for (var file : files.toList()) {
                inodes.add(inode(file));
            }
        }
        return inodes;
    }

    private static Object inode(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino");
    }

    private long bytesOnDisk() throws IOException {
        return Files.size(onlyFile());
    }
}
