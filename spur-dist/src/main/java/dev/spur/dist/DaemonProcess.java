package dev.spur.dist;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A daemon in a process of its own. Once [#keepUp] was said it is started again whenever it ends
/// without having been asked to: a local cluster survives what a service manager lets a real one
/// survive. Before that, its end is the end of the cluster's start.
///
/// It has a session of its own: Ctrl-C in the terminal is for the cluster, which ends its jobs
/// first and its daemons after them.
public final class DaemonProcess implements AutoCloseable {
    private static final long PAUSE_MILLIS = 200;

    private final String name;
    private final List<String> command;
    private final Map<String, String> environment;
    private final Path log;
    private final Path pidFile;
    private boolean keptUp;
    private boolean stopping;
    private volatile Process process;

    private DaemonProcess(
            String name,
            List<String> command,
            Map<String, String> environment,
            Path log,
            Path pidFile) {
        this.name = name;
        this.environment = Map.copyOf(environment);
        this.command = Stream.concat(Stream.of("setsid"), command.stream()).toList();
        this.log = log;
        this.pidFile = pidFile;
        this.process = launch();
    }

    /// @param environment what others must not read among its arguments
    public static DaemonProcess start(
            String name,
            List<String> command,
            Map<String, String> environment,
            Path log,
            Path pidFile) {
        return new DaemonProcess(name, command, environment, log, pidFile);
    }

    /// From now on it is started again.
    public synchronized void keepUp() {
        if (!keptUp) {
            keptUp = true;
            Thread.ofVirtual().name("watch-" + name).start(this::watch);
        }
    }

    public String name() {
        return name;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    boolean hasChildren() {
        return process.children().findAny().isPresent();
    }

    public Path log() {
        return log;
    }

    private Process launch() {
        try {
            var builder = new ProcessBuilder(command);
            builder.environment().putAll(environment);
            var started =
                    builder.redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                            .redirectOutput(Redirect.appendTo(log.toFile()))
                            .redirectErrorStream(true)
                            .start();
            Files.writeString(pidFile, started.pid() + "\n");
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + name, e);
        }
    }

    private void watch() {
        try {
            while (true) {
                process.waitFor();
                synchronized (this) {
                    if (stopping) {
                        return;
                    }
                    process = launch();
                }
                TimeUnit.MILLISECONDS.sleep(
                        PAUSE_MILLIS); // a daemon that cannot start must not spin
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Asks it to end, and ends it if it does not.
    @Override
    public void close() {
        Process last;
        synchronized (this) {
            stopping = true;
            last = process;
        }
        last.destroy();
        try {
            if (!last.waitFor(30, TimeUnit.SECONDS)) {
                last.destroyForcibly().waitFor();
            }
            Files.deleteIfExists(pidFile);
        } catch (InterruptedException e) {
            last.destroyForcibly();
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
