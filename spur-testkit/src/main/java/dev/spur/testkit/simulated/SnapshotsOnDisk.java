package dev.spur.testkit.simulated;

import dev.spur.controller.raft.Replica;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The snapshots of one controller: `state-TERM_INDEX` and beside it `files-TERM_INDEX`, which
/// count once there is `whole-TERM_INDEX`.
final class SnapshotsOnDisk {
    private static final Pattern WHOLE = Pattern.compile("whole-(\\d+)_(\\d+)");

    private final Path directory;

    record Version(long term, long index) {
        @Override
        public String toString() {
            return term + "_" + index;
        }
    }

    SnapshotsOnDisk(Path directory) {
        this.directory = directory;
    }

    Optional<Version> newest() {
        try {
            return all().stream().max(Comparator.comparing(Version::index));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Version> version(Path file) {
        var name = WHOLE.matcher(String.valueOf(file.getFileName()));
        return name.matches()
                ? Stream.of(
                        new Version(Long.parseLong(name.group(1)), Long.parseLong(name.group(2))))
                : Stream.empty();
    }

    /// @param pause lets others run, and the power go, between two steps
    void write(Version version, Replica.Image image, Runnable pause) throws IOException {
        var written = directory.resolve("written-" + version);
        try (var file = create(written)) {
            image.writeTo(Channels.newOutputStream(file));
            file.force(true);
        }
        pause.run();
        place(written, state(version));
        Files.createDirectories(files(version));
        image.linkFiles(files(version));
        sync(files(version));
        pause.run();
        complete(version);
    }

    /// As a leader sends it over the network.
    void receive(Version version, SnapshotsOnDisk from) throws IOException {
        var received = directory.resolve("received-" + version);
        copy(from.state(version), received);
        place(received, state(version));
        Files.createDirectories(files(version));
        try (var files = Files.list(from.files(version))) {
            for (var file : files.toList()) {
                copy(file, files(version).resolve(String.valueOf(file.getFileName())));
            }
        }
        sync(files(version));
        complete(version);
    }

    /// Never writes over what counts already: the same version may be received while it is written.
    private static void place(Path made, Path state) throws IOException {
        Files.move(made, state, StandardCopyOption.ATOMIC_MOVE);
    }

    private void complete(Version version) throws IOException {
        sync(directory);
        create(directory.resolve("whole-" + version)).close();
        sync(directory);
        for (var older : all()) {
            if (older.index() < version.index()) {
                remove(older);
            }
        }
    }

    private List<Version> all() throws IOException {
        Files.createDirectories(directory);
        try (var files = Files.list(directory)) {
            return files.flatMap(SnapshotsOnDisk::version).toList();
        }
    }

    private void remove(Version version) throws IOException {
        Files.delete(directory.resolve("whole-" + version));
        Files.delete(state(version));
        try (var files = Files.list(files(version))) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(files(version));
    }

    InputStream open(Version version) throws IOException {
        return new BufferedInputStream(Files.newInputStream(state(version)));
    }

    Path files(Version version) {
        return directory.resolve("files-" + version);
    }

    private Path state(Version version) {
        return directory.resolve("state-" + version);
    }

    private static void copy(Path source, Path target) throws IOException {
        try (var file = create(target);
                var in = Files.newInputStream(source)) {
            in.transferTo(Channels.newOutputStream(file));
            file.force(true);
        }
    }

    private static FileChannel create(Path file) throws IOException {
        return FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
    }

    private static void sync(Path path) throws IOException {
        try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
