package dev.spur.agent.step;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/// A step's directory in the spool, shared with its supervisor.
final class StepDirectory {
    private static final int MOST_ATTEMPTS = 5;

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

    /// The supervisor may tidy up at the same moment: what is gone already is fine.
    void delete() throws IOException {
        for (var attempt = 1; Files.exists(path); attempt++) {
            try (var entries = Files.newDirectoryStream(path)) {
                for (var entry : entries) {
                    Files.deleteIfExists(entry);
                }
            } catch (NoSuchFileException _) {
                return;
            }
            try {
                Files.deleteIfExists(path);
            } catch (DirectoryNotEmptyException e) {
                if (attempt == MOST_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
