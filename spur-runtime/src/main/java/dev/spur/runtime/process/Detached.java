package dev.spur.runtime.process;

import dev.spur.runtime.host.ThisHost;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The two sides of a daemon that goes to the background. The child's standard output is a pipe to
/// the parent on which it says `ready`, or why it could not start.
final class Detached {
    private static final String MARK = "SPUR_DETACHED";
    private static final String READY = "ready";

    private Detached() {}

    /// Whom a starting daemon tells how it went.
    interface Starter {
        void ready();

        void failed(String text);
    }

    /// Whether our own parent started us in the background; a process started by us in turn is not.
    static boolean isThisProcess() {
        var parent =
                ProcessHandle.current()
                        .parent()
                        .map(ProcessHandle::pid)
                        .map(String::valueOf)
                        .orElse("");
        return parent.equals(System.getenv(MARK));
    }

    static Starter foreground(PrintStream err) {
        return new Starter() {
            @Override
            public void ready() {}

            @Override
            public void failed(String text) {
                err.println(text);
            }
        };
    }

    static Starter child(PrintStream pipe) {
        ThisHost.leaveTerminal();
        return new Starter() {
            @Override
            public void ready() {
                say(READY);
            }

            @Override
            public void failed(String text) {
                say(text);
                System.err.println(text); // for the log file, which stays
            }

            private void say(String text) {
                pipe.println(text);
                pipe.close();
            }
        };
    }

    /// Starts this very command again in the background; 0 once it serves, otherwise its failure in
    /// words.
    static int launch(String program, Path logFile, PrintStream err) {
        try {
            openLog(logFile);
            var builder =
                    new ProcessBuilder(ownCommandLine())
                            .redirectInput(Path.of("/dev/null").toFile())
                            .redirectError(ProcessBuilder.Redirect.appendTo(logFile.toFile()));
            builder.environment().put(MARK, String.valueOf(ProcessHandle.current().pid()));
            var child = builder.start();
            try (var pipe = child.inputReader(StandardCharsets.UTF_8)) {
                for (var line = pipe.readLine(); line != null; line = pipe.readLine()) {
                    if (line.equals(READY)) {
                        return 0;
                    }
                    err.println(line);
                }
            }
            err.println(
                    "%s: error: it did not start (exit code %d); its log is %s"
                            .formatted(program, child.waitFor(), logFile));
            return 1;
        } catch (IOException e) {
            err.println(
                    "%s: error: cannot start in the background: %s"
                            .formatted(program, e.getMessage()));
            return 1;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    private static void openLog(Path logFile) throws IOException {
        var directory = logFile.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        Files.newByteChannel(
                        logFile,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-r-----")))
                .close();
    }

    /// From the kernel, word for word: the JDK's own answer is empty when the class path is long.
    private static List<String> ownCommandLine() throws IOException {
        var words =
                Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.UTF_8)
                        .split("\0", -1);
        var command = new ArrayList<>(List.of(words).subList(0, words.length - 1));
        // The first word is what the caller typed; the program itself is certain.
        command.set(0, Path.of("/proc/self/exe").toRealPath().toString());
        return command;
    }
}
