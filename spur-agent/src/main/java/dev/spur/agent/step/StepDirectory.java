package dev.spur.agent.step;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Optional;

/// A step's directory in the spool, shared with its supervisor.
final class StepDirectory {
    private final Path path;

    StepDirectory(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    Path control() {
        return path.resolve("control");
    }

    /// The user must be able to walk through to the script, but not to look around.
    void create() throws IOException {
        Files.createDirectory(path);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx--x--x"));
    }

    Optional<StepStatus> status() throws IOException {
        try {
            return StepStatus.parse(Files.readString(path.resolve("status")));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
    }

    /// Takes a launch away from a supervisor that has not begun with it. False if one has.
    boolean claim() throws IOException {
        try {
            Files.createFile(path.resolve("claim"));
            return true;
        } catch (FileAlreadyExistsException _) {
            return false;
        }
    }

    /// The supervisor holds a lock on its claim as long as it lives.
    boolean supervisorLives() throws IOException {
        try (var channel =
                        FileChannel.open(
                                path.resolve("claim"),
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE);
                var lock = channel.tryLock()) {
            return lock == null;
        } catch (NoSuchFileException _) {
            return false;
        }
    }

    void delete() throws IOException {
        try (var entries = Files.walk(path)) {
            for (var entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(entry);
            }
        } catch (NoSuchFileException _) {
            // Somebody tidied up already.
        }
    }
}
