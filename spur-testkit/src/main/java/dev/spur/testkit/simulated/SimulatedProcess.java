package dev.spur.testkit.simulated;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/// One life of a daemon: its threads are turns in simulated time. When it is killed, none of them
/// has another; while it is stopped, what would happen waits.
final class SimulatedProcess {
    private final SimulatedTime time;
    private final Set<SimulatedThread> threads = new LinkedHashSet<>();
    private final List<Runnable> held = new ArrayList<>();
    private boolean alive = true;
    private boolean stopped;
    private boolean isTimersTurn;

    SimulatedProcess(SimulatedTime time) {
        this.time = time;
    }

    boolean isAlive() {
        return alive;
    }

    void kill() {
        alive = false;
        held.clear();
        List.copyOf(threads).forEach(SimulatedThread::kill);
    }

    boolean isStopped() {
        return stopped;
    }

    /// SIGSTOP.
    void stop() {
        stopped = true;
    }

    /// SIGCONT: whatever was due meanwhile happens now, in the same order.
    void goOn() {
        stopped = false;
        var due = List.copyOf(held);
        held.clear();
        due.forEach(task -> after(Duration.ZERO, task));
    }

    void after(Duration delay, Runnable task) {
        time.after(delay, () -> run(task));
    }

    /// Now, if it has a turn now.
    void run(Runnable task) {
        if (!alive) {
            return;
        }
        if (stopped) {
            held.add(task);
        } else {
            task.run();
        }
    }

    /// The one thread of the timer must not: all that has its time would wait with it.
    void waitsForTheDisk() {
        if (isTimersTurn) {
            throw new AssertionError("the timer's thread waits for the disk");
        }
    }

    void has(SimulatedThread thread) {
        threads.add(thread);
    }

    void hasNoMore(SimulatedThread thread) {
        threads.remove(thread);
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

    /// As `manyThreads`, for tasks that wait.
    void inThread(Runnable task) {
        after(time.moment(), () -> SimulatedThread.start(time, this, task));
    }

    /// One thread whose tasks wait: the next begins when the one before it has ended.
    Executor oneWaitingThread() {
        return new Executor() {
            private final Queue<Runnable> waiting = new ArrayDeque<>();
            private boolean busy;

            @Override
            public void execute(Runnable task) {
                waiting.add(task);
                if (!busy) {
                    busy = true;
                    inThread(this::work);
                }
            }

            private void work() {
                for (var task = waiting.poll(); task != null; task = waiting.poll()) {
                    task.run();
                }
                busy = false;
            }
        };
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
            isTimersTurn = true;
            try {
                if (pause.isZero()) {
                    run();
                } else if (runAndReset()) {
                    ringAfter(pause);
                }
            } finally {
                isTimersTurn = false;
            }
            if (state() == State.FAILED) {
                throw new AssertionError("what the timer ran has failed", exceptionNow());
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
