package dev.spur.runtime.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// A daemon that serves nothing, for {@link DaemonTest}.
final class SampleDaemon implements Daemon.Start {
    private static final Flag FAIL = Flag.value("fail", "TEXT", "fail to start with this text");

    public static void main(String[] arguments) {
        var daemon =
                new Daemon("sampled", "1.2.3", List.of(Flag.STATE_DIR, FAIL), new SampleDaemon());
        System.exit(daemon.run(System.out, System.err, arguments));
    }

    @Override
    public Running start(Flags flags) throws IOException {
        if (flags.has(FAIL)) {
            throw new IllegalStateException(flags.value(FAIL).orElseThrow());
        }
        var state = Path.of(flags.value(Flag.STATE_DIR).orElseThrow());
        var stopped = new CountDownLatch(1);
        Files.writeString(state.resolve("pid"), String.valueOf(ProcessHandle.current().pid()));
        return new Running() {
            @Override
            public void awaitTermination() throws InterruptedException {
                write("serving");
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

    @Override
    public Path logFile(Flags flags) {
        return Path.of(flags.value(Flag.STATE_DIR).orElseThrow()).resolve("log");
    }
}
