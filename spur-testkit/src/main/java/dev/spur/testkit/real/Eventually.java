package dev.spur.testkit.real;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// Waits for what other processes do. Simulated specifications never need this.
public final class Eventually {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private Eventually() {}

    /// Returns when `condition` holds; fails with `otherwise` when it does not within a minute.
    public static void until(Supplier<Boolean> condition, Supplier<String> otherwise) {
        until(PATIENCE, condition, otherwise);
    }

    public static void until(
            Duration patience, Supplier<Boolean> condition, Supplier<String> otherwise) {
        var deadline = System.nanoTime() + patience.toNanos();
        while (!condition.get()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within %s: %s".formatted(patience, otherwise.get()));
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
