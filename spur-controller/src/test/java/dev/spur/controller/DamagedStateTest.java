package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `spurctld` as whoever starts it sees it, on a state directory that is not what it wrote.
@Timeout(120)
class DamagedStateTest {
    @TempDir Path directory;

    @Test
    void aDamagedLogIsNamedWithWhatToDoAndTheExitCodeIsOne() throws Exception {
        var config = Files.writeString(directory.resolve("spur.conf"), InProcessController.CONFIG);
        var state = directory.resolve("state");
        startAndStop(config, state);
        var segment = segment(state);
        damage(segment, "node[1-4]");
        var damaged = Files.readAllBytes(segment);
        var told = new ByteArrayOutputStream();

        var code =
                Spurctld.daemon()
                        .run(
                                System.out,
                                new PrintStream(told, true, StandardCharsets.UTF_8),
                                "-D",
                                "--config",
                                config.toString(),
                                "--listen",
                                "127.0.0.1:0",
                                "--state-dir",
                                state.toString());

        assertThat(code).isEqualTo(1);
        assertThat(told.toString(StandardCharsets.UTF_8))
                .contains("spurctld: error: the replicated log is damaged: " + segment)
                .contains("Restore the state directory from a backup");
        assertThat(Files.readAllBytes(segment)).isEqualTo(damaged);
    }

    private static void startAndStop(Path config, Path state) throws Exception {
        var options =
                new ControllerOptions(
                        ConfigFile.load(config).config(),
                        config,
                        () -> ConfigFile.load(config),
                        new HostAndPort("127.0.0.1", 0),
                        null,
                        state,
                        InstantSource.system(),
                        "ctl",
                        null,
                        false);
        Controller.start(options).close();
    }

    private static Path segment(Path state) throws IOException {
        try (var files = Files.walk(state.resolve("raft"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("log_"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void damage(Path segment, String text) throws IOException {
        var bytes = Files.readAllBytes(segment);
        bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text)] ^= 1;
        Files.write(segment, bytes);
    }
}
