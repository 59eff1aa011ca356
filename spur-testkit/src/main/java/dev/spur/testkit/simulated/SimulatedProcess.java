package dev.spur.testkit.simulated;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/// One life of a daemon: its threads are turns in simulated time, and when it is killed, none of
/// them has another.
final class SimulatedProcess {
    private final SimulatedTime time;
    private boolean alive = true;

    SimulatedProcess(SimulatedTime time) {
        this.time = time;
    }

    boolean isAlive() {
        return alive;
    }

    void kill() {
        alive = false;
    }

    void after(Duration delay, Runnable task) {
        time.after(
                delay,
                () -> {
                    if (alive) {
                        task.run();
                    }
                });
    }

    void every(Duration pause, Runnable task) {
        after(
                pause,
                () -> {
                    task.run();
                    every(pause, task);
                });
    }

    /// A thread of its own for every task: who comes first is chance.
    Executor manyThreads() {
        return task -> after(time.moment(), task);
    }

    /// One thread: tasks wait for those before them.
    Executor oneThread() {
        return new Executor() {
            private Instant free = Instant.MIN;

            @Override
            public void execute(Runnable task) {
                var turn = time.instant().plus(time.moment());
                free = turn.isAfter(free) ? turn : free;
                after(Duration.between(time.instant(), free), task);
            }
        };
    }

    ScheduledExecutorService timer() {
        return new Timer();
    }

    private final class Timer extends AbstractExecutorService implements ScheduledExecutorService {
        @Override
        public void execute(Runnable task) {
            after(time.moment(), task);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            return schedule(
                    () -> {
                        task.run();
                        return true;
                    },
                    delay,
                    unit);
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
            return new Alarm<>(task, Duration.of(delay, unit.toChronoUnit()), Duration.ZERO);
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
                    () -> {
                        task.run();
                        return true;
                    },
                    Duration.of(first, unit.toChronoUnit()),
                    Duration.of(pause, unit.toChronoUnit()));
        }

        @Override
        public void shutdown() {
            throw new RejectedExecutionException("a simulated process ends as a whole");
        }

        @Override
        public List<Runnable> shutdownNow() {
            throw new RejectedExecutionException("a simulated process ends as a whole");
        }

        @Override
        public boolean isShutdown() {
            return !alive;
        }

        @Override
        public boolean isTerminated() {
            return !alive;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return !alive;
        }
    }

    private final class Alarm<V> extends FutureTask<V> implements ScheduledFuture<V> {
        private final Duration pause;
        private Instant rings = Instant.MIN;

        Alarm(Callable<V> task, Duration delay, Duration pause) {
            super(task);
            this.pause = pause;
            ringAfter(delay);
        }

        private void ringAfter(Duration delay) {
            rings = time.instant().plus(delay);
            after(delay, this::ring);
        }

        private void ring() {
            if (pause.isZero()) {
                run();
            } else if (runAndReset()) {
                ringAfter(pause);
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(Duration.between(time.instant(), rings));
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(
                    getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
