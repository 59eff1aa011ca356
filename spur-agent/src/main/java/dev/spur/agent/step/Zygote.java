package dev.spur.agent.step;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The process that forks supervisors. It outlives this agent; one that is there is used, one that
/// is missing is started.
final class Zygote {
    private static final Logger log = LoggerFactory.getLogger(Zygote.class);
    private static final long START_SECONDS = 10;

    private final Path program;
    private final Path directory;
    private final Path socket;

    Zygote(Path program, Path runDirectory) {
        this.program = program;
        this.directory = runDirectory;
        this.socket = runDirectory.resolve("zygote");
    }

    /// A fresh connection: whatever is sent first on it decides what becomes of its other end.
    FrameConnection connect() throws IOException {
        try {
            return FrameConnection.open(socket);
        } catch (IOException _) {
            ensureRunning();
            return FrameConnection.open(socket);
        }
    }

    /// Ends the zygote; supervisors stay. Nothing happens if there is none.
    void stop() {
        try (var connection = FrameConnection.open(socket)) {
            connection.send('Q', new byte[0]);
            connection.receive();
        } catch (IOException _) {
            // It is gone already.
        }
    }

    synchronized void ensureRunning() throws IOException {
        if (!answers()) {
            start();
        }
    }

    private void start() throws IOException {
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        var builder =
                new ProcessBuilder(program.toString(), socket.toString()).redirectErrorStream(true);
        builder.environment().clear();
        var process = builder.start();
        try {
            // It detaches when it serves; then this process ends.
            if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("%s did not start in time".formatted(program));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while starting " + program, e);
        }
        if (process.exitValue() != 0) {
            var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            throw new IOException(
                    "%s ended with %d: %s".formatted(program, process.exitValue(), said.strip()));
        }
        log.atInfo().addKeyValue("socket", socket).log("started the step launcher");
    }

    private boolean answers() {
        try (var connection = FrameConnection.open(socket)) {
            connection.send('V', new byte[0]);
            return connection.receive().type() == 'v';
        } catch (IOException _) {
            return false;
        }
    }
}
