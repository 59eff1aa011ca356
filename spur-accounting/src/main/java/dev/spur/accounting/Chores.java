package dev.spur.accounting;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What is done again and again. One that fails is told once, and done again.
final class Chores implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Chores.class);

    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("chores").factory());

    void every(Duration pause, String name, Runnable chore) {
        var failed = new boolean[1];
        thread.scheduleWithFixedDelay(
                () -> {
                    try {
                        chore.run();
                        failed[0] = false;
                    } catch (RuntimeException | Error e) { // else it would never run again
                        if (!failed[0]) {
                            LOG.atWarn()
                                    .setCause(e)
                                    .addKeyValue("chore", name)
                                    .log("failed, goes on");
                        }
                        failed[0] = true;
                    }
                },
                0,
                pause.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
