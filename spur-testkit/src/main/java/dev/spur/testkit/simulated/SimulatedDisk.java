package dev.spur.testkit.simulated;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/// What the log writes to: in order, each a moment later, and what was not written when the
/// controller died is lost. Whoever waits for its own entry has it written at once, with everything
/// before it: in one thread, nothing else could happen meanwhile.
final class SimulatedDisk implements Executor {
    private static final Duration SLOWEST = Duration.ofMillis(20);

    private final SimulatedTime time;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean awaited;

    SimulatedDisk(SimulatedTime time) {
        this.time = time;
    }

    @Override
    public void execute(Runnable entry) {
        waiting.add(entry);
        if (awaited) {
            write();
        } else {
            time.after(time.between(Duration.ZERO, SLOWEST), this::write);
        }
    }

    /// Runs what waits for its own entries.
    <T> T await(Supplier<T> work) {
        write();
        var before = awaited;
        awaited = true;
        try {
            return work.get();
        } finally {
            awaited = before;
        }
    }

    /// The power is gone.
    void loseUnwritten() {
        waiting.clear();
    }

    private void write() {
        for (var entry = waiting.poll(); entry != null; entry = waiting.poll()) {
            entry.run();
        }
    }
}
