package dev.spur.agent.step;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A file for each session of a job, in which its supervisors note the process that holds it: its
/// number, and when it was started, by which it is told from a later one with that number.
final class SessionFiles {
    private static final Logger log = LoggerFactory.getLogger(SessionFiles.class);

    /// Of `/proc/PID/stat`, counted behind the name in parentheses.
    private static final int START_TIME = 19;

    private final Path directory;

    private SessionFiles(Path directory) {
        this.directory = directory;
    }

    static SessionFiles in(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        return new SessionFiles(directory);
    }

    Path file(JobAttempt run) {
        return directory.resolve(
                Integer.toUnsignedString(run.job())
                        + "."
                        + Integer.toUnsignedString(run.attempt()));
    }

    /// Kills the process that holds it, and with it the kernel kills everything in it.
    void end(JobAttempt run) {
        var file = file(run);
        try {
            var words = Files.readString(file).strip().split(" ", -1);
            var pid = Long.parseLong(words[0]);
            if (startedAt(pid).equals(words[1])) {
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            }
        } catch (NoSuchFileException _) {
            // it had none
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            log.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("cause", e.toString())
                    .log("a session cannot be ended; its first process stays");
        }
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(file.resolveSibling(file.getFileName() + ".lock"));
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("cause", e.toString())
                    .log("cannot remove what a session left");
        }
    }

    /// Empty if there is no such process.
    private static String startedAt(long pid) {
        try {
            var stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return fields[START_TIME];
        } catch (IOException _) {
            return "";
        }
    }
}
