package dev.spur.controller.scheduling;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/// A clock and a timer that move when told. Everything runs in the thread that moves them, one task
/// after the other.
public final class SteppedTime extends AbstractExecutorService
        implements ScheduledExecutorService, InstantSource {
    private static final int MOST_AT_ONCE = 10_000;

    private final PriorityQueue<Alarm<?>> alarms =
            new PriorityQueue<>(
                    Comparator.comparing((Alarm<?> alarm) -> alarm.rings)
                            .thenComparing(alarm -> alarm.number));
    private Instant now = Instant.parse("2026-11-16T08:00:00Z");
    private long numbers;

    @Override
    public Instant instant() {
        return now;
    }

    /// Lets everything happen that is due until then.
    public void advance(Duration by) {
        var end = now.plus(by);
        var atOnce = 0;
        while (!alarms.isEmpty() && !alarms.element().rings.isAfter(end)) {
            var next = alarms.remove();
            atOnce = next.rings.equals(now) ? atOnce + 1 : 0;
            if (atOnce > MOST_AT_ONCE) {
                throw new AssertionError("it goes on and on without letting time pass");
            }
            now = next.rings;
            next.ring();
        }
        now = end;
    }

    /// Lets everything happen that is due by now.
    public void settle() {
        advance(Duration.ZERO);
    }

    @Override
    public void execute(Runnable task) {
        schedule(task, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return new Alarm<>(task, Duration.of(delay, unit.toChronoUnit()), Duration.ZERO);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException("nobody asks for a result");
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
            Runnable task, long first, long period, TimeUnit unit) {
        return scheduleWithFixedDelay(task, first, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable task, long first, long pause, TimeUnit unit) {
        return new Alarm<>(
                task,
                Duration.of(first, unit.toChronoUnit()),
                Duration.of(pause, unit.toChronoUnit()));
    }

    @Override
    public void shutdown() {
        alarms.clear();
    }

    @Override
    public List<Runnable> shutdownNow() {
        alarms.clear();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return false;
    }

    private final class Alarm<V> extends FutureTask<V> implements ScheduledFuture<V> {
        private final Duration pause;
        private final long number = ++numbers;
        private Instant rings;

        Alarm(Runnable task, Duration delay, Duration pause) {
            super(() -> {
                task.run();
                return null;
            });
            this.pause = pause;
            rings = now.plus(delay);
            alarms.add(this);
        }

        private void ring() {
            if (pause.isZero()) {
                run();
            } else if (runAndReset()) {
                rings = now.plus(pause);
                alarms.add(this);
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(Duration.between(now, rings));
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(
                    getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
