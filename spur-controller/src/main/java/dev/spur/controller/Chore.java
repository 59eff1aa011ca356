package dev.spur.controller;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What is done now and then and may wait for a disk. The timer only says when: its thread is the
/// pulse of the controller, and a pulse that stops looks as if the controller had been paused.
/// While a round is under way no other begins, and one that fails does not end the rounds.
final class Chore implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Chore.class);

    private final String name;
    private final Runnable work;
    private final Executor executor;
    private final AtomicBoolean underWay = new AtomicBoolean();

    /// @param executor runs what may wait
    Chore(String name, Runnable work, Executor executor) {
        this.name = name;
        this.work = work;
        this.executor = executor;
    }

    void every(Duration pause, Duration first, ScheduledExecutorService timer) {
        var _ =
                timer.scheduleWithFixedDelay(
                        this, first.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void run() {
        if (!underWay.compareAndSet(false, true)) {
            return;
        }
        try {
            executor.execute(this::round);
        } catch (RejectedExecutionException e) {
            underWay.set(false); // the controller is stopping
        }
    }

    private void round() {
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue("chore", name).setCause(e).log("it is tried again later");
        } finally {
            underWay.set(false);
        }
    }
}
