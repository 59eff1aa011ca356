package dev.spur.cloud.reach;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Programs as processes of this machine and this user.
public final class LocalPrograms implements Programs, AutoCloseable {
    private static final int FIRST_OF_SIGNALS = 128;

    private final Path home;
    private final Set<Process> processes = ConcurrentHashMap.newKeySet();
    private volatile @Nullable String refusal;

    public LocalPrograms(Path home) {
        this.home = home;
    }

    /// From now on nothing can be started, for this reason.
    public void refuse(String why) {
        refusal = why;
    }

    public long running() {
        return processes.stream().filter(Process::isAlive).count();
    }

    /// What the build made, or a build of it with the sanitizers.
    public static Path relay() {
        for (var at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            var built = at.resolve("native/build/spur-relay");
            if (Files.isExecutable(built)) {
                return built;
            }
        }
        throw new IllegalStateException("make -C native builds spur-relay");
    }

    @Override
    public RunningProgram start(Program program) {
        if (refusal != null) {
            throw new NotReachedException(refusal);
        }
        var command = new ArrayList<>(program.command());
        if (command.getFirst().equals("spur-relay")) {
            command.set(0, relay().toString());
        }
        var terminal = program.terminal();
        var builder =
                new ProcessBuilder(terminal == null ? command : withTerminal(command, terminal));
        builder.directory(home.toFile());
        builder.environment().putAll(program.environment());
        builder.environment().put("HOME", home.toString());
        builder.environment().put("SHELL", "/bin/bash");
        if (terminal != null) {
            builder.environment().put("TERM", terminal.type());
        }
        try {
            var process = builder.start();
            processes.add(process);
            return new Local(process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> withTerminal(List<String> command, Program.Terminal terminal) {
        var line =
                new StringBuilder(
                        "stty rows %d cols %d; exec"
                                .formatted(terminal.rows(), terminal.columns()));
        command.forEach(word -> line.append(" '").append(word.replace("'", "'\\''")).append('\''));
        return List.of("script", "-qfec", line.toString(), "/dev/null");
    }

    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
    }

    private record Local(Process process) implements RunningProgram {
        @Override
        public InputStream output() {
            return process.getInputStream();
        }

        @Override
        public InputStream error() {
            return process.getErrorStream();
        }

        @Override
        public OutputStream input() {
            return process.getOutputStream();
        }

        @Override
        public void resize(int rows, int columns) {}

        @Override
        public void signal(int number) {
            try {
                new ProcessBuilder("kill", "-" + number, String.valueOf(process.pid()))
                        .start()
                        .waitFor();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public ProgramEnd await() throws InterruptedException {
            var code = process.waitFor();
            return code > FIRST_OF_SIGNALS
                    ? new ProgramEnd.Signalled(code - FIRST_OF_SIGNALS)
                    : new ProgramEnd.Exited(code);
        }

        @Override
        public void close() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
