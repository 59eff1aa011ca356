package dev.spur.controller.blob;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
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
        try (var file = java.nio.channels.FileChannel.open(onlyFile(), StandardOpenOption.WRITE)) {
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

            store.collect(Set.of(living), store.mark());

            assertThat(store.contains(dead)).isFalse();
            assertThat(store.get(living)).hasValue("living".getBytes(UTF_8));
            assertThat(blobs().resolve("segment-00000001.blobs")).doesNotExist();
        }
    }

    @Test
    void whatWasPutAfterTheMarkIsNotCollected() throws IOException {
        try (var store = open()) {
            var mark = store.mark();
            var fresh = put(store, "fresh");

            store.collect(Set.of(), mark);

            assertThat(store.contains(fresh)).isTrue();
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
            other.adopt(snapshot);

            assertThat(other.get(hash)).hasValue("script".getBytes(UTF_8));
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

    private long bytesOnDisk() throws IOException {
        return Files.size(onlyFile());
    }
}
