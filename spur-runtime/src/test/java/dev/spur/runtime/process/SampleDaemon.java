package dev.spur.runtime.process;

import dev.spur.runtime.config.LoggingConfig;
import dev.spur.runtime.log.Logging;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/// A daemon that serves nothing, for {@link DaemonTest}.
final class SampleDaemon implements Daemon.Start {
    private static final Flag BREAK = Flag.value("break", "TEXT", "fail later with this text");
    private static final Flag FAIL = Flag.value("fail", "TEXT", "fail to start with this text");

    public static void main(String[] arguments) {
        var daemon =
                new Daemon(
                        "sampled",
                        "1.2.3",
                        List.of(Flag.STATE_DIR, FAIL, BREAK),
                        new SampleDaemon());
        System.exit(daemon.run(System.out, System.err, arguments));
    }

    @Override
    public Running start(Flags flags) throws IOException {
        if (flags.has(FAIL)) {
            throw new IllegalStateException(flags.value(FAIL).orElseThrow());
        }
        Logging.start(LoggingConfig.DEFAULTS);
        var state = Path.of(flags.value(Flag.STATE_DIR).orElseThrow());
        var stopped = new CountDownLatch(1);
        Files.writeString(state.resolve("pid"), String.valueOf(ProcessHandle.current().pid()));
        return new Running() {
            @Override
            public void awaitTermination() throws InterruptedException {
                write("serving");
                if (flags.has(BREAK)) {
                    Thread.ofPlatform().start(SampleDaemon::neverEnds);
                    throw new IllegalStateException(flags.value(BREAK).orElseThrow());
                }
                stopped.await();
            }

            @Override
            public void reload() {
                write("reloaded");
            }

            @Override
            public void close() {
                write("stopped");
                stopped.countDown();
            }

            private void write(String name) {
                try {
                    Files.writeString(state.resolve(name), name);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }

    /// As a library's thread does that nobody told to stop.
    private static void neverEnds() {
        while (true) {
            LockSupport.park();
        }
    }

    @Override
    public Path logFile(Flags flags) {
        return Path.of(flags.value(Flag.STATE_DIR).orElseThrow()).resolve("log");
    }
}
