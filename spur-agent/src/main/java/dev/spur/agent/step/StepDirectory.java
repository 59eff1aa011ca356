package dev.spur.agent.step;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A step's directory in the spool, shared with its supervisor.
final class StepDirectory {
    private static final Logger log = LoggerFactory.getLogger(StepDirectory.class);
    private static final int MOST_ATTEMPTS = 5;

    private final Path path;

    /// Something that only the disk can answer.
    interface Question<T> {
        T ask() throws IOException;
    }

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
        } catch (NoSuchFileException | CharacterCodingException _) { // or not even text
            return Optional.empty();
        }
    }

    /// Whether a supervisor has said anything, readable or not: then tasks may have run.
    boolean hasBegun() throws IOException {
        try {
            Files.readAttributes(
                    path.resolve("status"), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return true;
        } catch (NoSuchFileException _) {
            return false;
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

    /// Asks until the disk answers. When no descriptor is left, or the disk has trouble, it is not
    /// known what became of the step, and nobody must hear that it is.
    <T> T insist(Question<T> question) {
        var pause = new GrowingPause();
        var interrupted = false;
        try {
            while (true) {
                interrupted |= Thread.interrupted(); // or no channel could be opened
                try {
                    return question.ask();
                } catch (IOException e) {
                    if (pause.await()) {
                        log.atError()
                                .addKeyValue("directory", path)
                                .addKeyValue("cause", e.toString())
                                .log("what became of a step cannot be read; it is tried on");
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
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
