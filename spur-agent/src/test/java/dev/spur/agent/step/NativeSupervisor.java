package dev.spur.agent.step;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// The C program under test, built once per run of the tests.
public final class NativeSupervisor {
    private static final Path NATIVE = Path.of("..", "native").toAbsolutePath().normalize();
    private static final Path PROGRAM = build();

    private NativeSupervisor() {}

    public static Path program() {
        return PROGRAM;
    }

    private static Path build() {
        try {
            var make =
                    new ProcessBuilder("make", "-s", "-C", NATIVE.resolve("step").toString())
                            .redirectErrorStream(true)
                            .start();
            var said = new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (make.waitFor() != 0) {
                throw new IllegalStateException("the step supervisor does not build: " + said);
            }
            return NATIVE.resolve("build").resolve("spur-zygote");
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("cannot build the step supervisor", e);
        }
    }
}
