package dev.spur.cli.door;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The C program `spur`, built from this source tree and called as users call it.
final class StubProgram {
    private static final Path NATIVE = Path.of("../native").toAbsolutePath().normalize();

    private StubProgram() {}

    /// What a finished call left behind.
    record Finished(int exitCode, byte[] output, String errors) {
        String text() {
            return new String(output, StandardCharsets.UTF_8);
        }
    }

    static Path built() throws IOException, InterruptedException {
        var make =
                new ProcessBuilder("make", "-s", "-C", NATIVE.resolve("spur").toString())
                        .redirectErrorStream(true)
                        .start();
        var said = new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (make.waitFor() != 0) {
            throw new AssertionError("make failed:\n" + said);
        }
        return NATIVE.resolve("build/spur");
    }

    /// `command` is what a shell would run: the program is `spur` here, whatever the prefix
    /// (setpriv, sh -c …).
    static ProcessBuilder command(Path socket, List<String> command) {
        try {
            var words = new ArrayList<>(command);
            words.replaceAll(
                    word -> word.replace("$spur", NATIVE.resolve("build/spur").toString()));
            var builder = new ProcessBuilder(words);
            builder.environment().put("SPUR_DOOR", socket.toString());
            builder.redirectError(Files.createTempFile("stub", ".err").toFile());
            return builder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Finished call(Path socket, String... args) throws Exception {
        var words = new ArrayList<>(List.of("$spur"));
        words.addAll(Arrays.asList(args));
        return finish(command(socket, words));
    }

    static Finished shell(Path socket, String script) throws Exception {
        return finish(command(socket, List.of("bash", "-c", script)));
    }

    private static Finished finish(ProcessBuilder builder) throws Exception {
        var process = builder.start();
        process.getOutputStream().close();
        var output = process.getInputStream().readAllBytes();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the command did not end");
        }
        var errors = builder.redirectError().file().toPath();
        var finished =
                new Finished(
                        process.exitValue(),
                        output,
                        new String(Files.readAllBytes(errors), StandardCharsets.UTF_8));
        Files.delete(errors);
        return finished;
    }
}
