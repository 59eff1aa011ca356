package dev.spur.runtime.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalLong;
import java.util.Set;

/// Says which process serves a directory, and lets no second one do so. The kernel's lock decides,
/// not the number in the file: it is gone with the process, however that ended. Only the owner
/// opens the file, since whoever can read it can lock it.
public final class PidFile implements AutoCloseable {
    private final Path path;
    private final FileChannel channel;

    private PidFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    public static PidFile take(Path path, String program) {
        try {
            var directory = path.toAbsolutePath().getParent();
            if (directory != null) {
                Files.createDirectories(directory);
            }
            var channel =
                    FileChannel.open(
                            path,
                            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            if (!locked(channel)) {
                channel.close();
                throw new IllegalStateException(
                        "%s already runs here (pid %s, by %s). Stop it first: kill %s"
                                .formatted(program, holder(path), path, holder(path)));
            }
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(
                            (ProcessHandle.current().pid() + "\n")
                                    .getBytes(StandardCharsets.US_ASCII)));
            return new PidFile(path, channel);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the pid file " + path, e);
        }
    }

    /// The other process that has the file now.
    public static OptionalLong heldBy(Path path) throws IOException {
        try (var channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            if (locked(channel)) {
                return OptionalLong.empty(); // left by one that is gone
            }
            return OptionalLong.of(Long.parseLong(holder(path)));
        } catch (NoSuchFileException _) {
            return OptionalLong.empty();
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove the pid file " + path, e);
        }
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException _) {
            return false; // held by this very process: daemons can share a JVM
        }
    }

    private static String holder(Path path) throws IOException {
        return Files.readString(path).strip();
    }
}
