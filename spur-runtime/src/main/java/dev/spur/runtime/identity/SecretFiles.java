package dev.spur.runtime.identity;

import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Files that only their owner may read, and that are either the old or the new one after a crash.
public final class SecretFiles {
    private static final Set<PosixFilePermission> OWNER_FILE =
            PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_DIRECTORY =
            PosixFilePermissions.fromString("rwx------");

    private SecretFiles() {}

    /// Makes the directory, 0700, if it is not there.
    public static void directory(Path directory) {
        try {
            if (Files.isDirectory(directory)) {
                return;
            }
            var parent = directory.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_DIRECTORY));
        } catch (FileAlreadyExistsException _) {
            // Somebody was faster.
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make the directory " + directory, e);
        }
    }

    /// Makes the directory, 0700, if it is not there; refuses one that others may enter or that is
    /// somebody else's. For what a daemon keeps beside its keys: scripts and environments hold
    /// passwords, too.
    public static void ownDirectory(Path directory) {
        directory(directory);
        if (!directory.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return; // nobody owns anything there
        }
        requireOwner(directory);
        try {
            var permissions = Files.getPosixFilePermissions(directory);
            if (!OWNER_DIRECTORY.containsAll(permissions)) {
                throw new IdentityException(
                        "%s is open to others (mode %s), and it holds keys, scripts and environments. Make it private: chmod -R go= %s"
                                .formatted(
                                        directory,
                                        PosixFilePermissions.toString(permissions),
                                        directory));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look at the directory " + directory, e);
        }
    }

    /// Refuses a directory that somebody else could fill with what he likes.
    public static void requireOwner(Path directory) {
        try {
            var owner = ((Number) Files.getAttribute(directory, "unix:uid")).longValue();
            if (owner != Users.currentUid()) {
                throw new IdentityException(
                        "%s belongs to uid %d, not to the user who starts this (uid %d). Use another directory, or, if you trust what is in it: chown -R %d %s"
                                .formatted(
                                        directory,
                                        owner,
                                        Users.currentUid(),
                                        Users.currentUid(),
                                        directory));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look at the directory " + directory, e);
        }
    }

    /// Replaces the file as a whole, 0600 from its first moment, on disk when this returns.
    public static void write(Path file, byte[] content) {
        var directory = file.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IllegalArgumentException(file + " is no place for a file");
        }
        try {
            var scratch =
                    Files.createTempFile(
                            directory,
                            "." + file.getFileName(),
                            ".new",
                            PosixFilePermissions.asFileAttribute(OWNER_FILE));
            try {
                giveToOwner(directory, scratch);
                try (var channel = FileChannel.open(scratch, StandardOpenOption.WRITE)) {
                    var bytes = ByteBuffer.wrap(content);
                    while (bytes.hasRemaining()) {
                        channel.write(bytes);
                    }
                    channel.force(true);
                }
                Files.move(
                        scratch,
                        file,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(scratch);
            }
            try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    /// What root writes into somebody's directory is for that user: the door, for instance, has no
    /// rights of root's and shares the host's certificate with the agent.
    private static void giveToOwner(Path directory, Path file) throws IOException {
        if (Users.currentUid() == 0
                && directory.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            Files.setAttribute(file, "unix:gid", Files.getAttribute(directory, "unix:gid"));
            Files.setAttribute(file, "unix:uid", Files.getAttribute(directory, "unix:uid"));
        }
    }

    public static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + file, e);
        }
    }

    /// Reads a secret; refuses one that others could have read or replaced.
    public static byte[] read(Path file) {
        try {
            var permissions = Files.getPosixFilePermissions(file);
            if (permissions.stream()
                    .anyMatch(permission ->
                            !OWNER_FILE.contains(permission)
                                    && permission != PosixFilePermission.OWNER_EXECUTE)) {
                throw new IdentityException(
                        "%s can be read or written by others (mode %s). Make it private: chmod 600 %s"
                                .formatted(file, PosixFilePermissions.toString(permissions), file));
            }
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
