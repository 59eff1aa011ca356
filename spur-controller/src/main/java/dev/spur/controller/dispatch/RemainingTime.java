package dev.spur.controller.dispatch;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What is left of a time limit, on the wire. Rounded up: a job never has less than its limit.
final class RemainingTime {
    static final long UNLIMITED = -1;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private RemainingTime() {}

    /// @param deadline missing: never
    static long millis(Instant now, @Nullable Instant deadline) {
        if (deadline == null) {
            return UNLIMITED;
        }
        var left = Duration.between(now, deadline);
        return left.isNegative() ? 0 : left.plusNanos(NANOS_PER_MILLI - 1).toMillis();
    }
}
