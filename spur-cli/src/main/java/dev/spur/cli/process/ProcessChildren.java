package dev.spur.cli.process;

import dev.spur.cli.Children;
import dev.spur.cli.UserFileException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// Programs run by this process, on its own standard streams.
final class ProcessChildren implements Children {
    private static final int SIGNAL_BASE = 128;

    /// How the JVM tells why a program did not start, as in `error=13, Permission denied`.
    private static final Pattern REASON = Pattern.compile("error=(\\d+), (.*)$");

    @Override
    public Child spawn(List<String> argv, Map<String, String> environment) throws IOException {
        var builder = new ProcessBuilder(argv).inheritIO();
        builder.environment().clear();
        builder.environment().putAll(environment);
        try {
            return new OwnChild(builder.start());
        } catch (IOException e) {
            var reason = REASON.matcher(String.valueOf(e.getMessage()));
            throw reason.find()
                    ? new UserFileException(
                            argv.getFirst(), Integer.parseInt(reason.group(1)), reason.group(2))
                    : e;
        }
    }

    private record OwnChild(Process process) implements Child {
        /// The JVM reports an end by a signal as 128 + signal, like a shell.
        @Override
        public Exit waitFor() throws InterruptedException {
            int code = process.waitFor();
            return new Exit(
                    code,
                    code > SIGNAL_BASE && code < SIGNAL_BASE + 32 ? code - SIGNAL_BASE : null);
        }

        @Override
        public void signal(int number) {
            run("kill", "-" + number, Long.toString(process.pid()));
        }
    }

    /// Runs a small system program to its end; tells whether it succeeded.
    static boolean run(String... argv) {
        try {
            return new ProcessBuilder(argv).inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
