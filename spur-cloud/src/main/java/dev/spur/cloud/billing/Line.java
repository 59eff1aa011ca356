package dev.spur.cloud.billing;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A line of a bill: so many GPUs and CPUs at one price for a time.
///
/// @param piece of the attempt, from 0 on
/// @param endedAt null: it goes on
/// @param seconds that count: whole ones, less those it was suspended; of a line that goes on, as
///   far as it was known when it was written
/// @param suspendedSince null: it is not suspended
/// @param freeBecause null: it costs what its rate says
public record Line(
        long job,
        int attempt,
        int piece,
        String gpuType,
        int gpus,
        int cpus,
        Instant startedAt,
        @Nullable Instant endedAt,
        long seconds,
        long suspendedSeconds,
        @Nullable Instant suspendedSince,
        Rate rate,
        @Nullable String freeBecause) {

    private static final BigDecimal HOUR = BigDecimal.valueOf(3600);

    /// A part of a line, as in a report about some days.
    ///
    /// @param seconds that count
    public record Part(long seconds, long gpuSeconds, BigDecimal amount) {}

    /// What falls between two times. Parts that make up the line add up to its amount, which was
    /// rounded once: each is what the bill grew by. Suspended time counts as the line's last.
    public Part between(Instant from, Instant until, Instant now, int digits) {
        var all = seconds(now);
        var first = Math.clamp(offset(from), 0, all);
        var last = Math.clamp(offset(until), first, all);
        return new Part(
                last - first,
                (last - first) * gpus,
                amount(last, digits).subtract(amount(first, digits)));
    }

    private long offset(Instant when) {
        return Duration.between(startedAt, when).toSeconds();
    }

    /// Those that count up to now.
    public long seconds(Instant now) {
        if (endedAt != null) {
            return seconds;
        }
        var still =
                suspendedSince == null
                        ? 0
                        : Math.max(0, Duration.between(suspendedSince, now).toSeconds());
        return Math.max(0, offset(now) - suspendedSeconds - still);
    }

    public BigDecimal amount(Instant now, int digits) {
        return amount(seconds(now), digits);
    }

    /// The only rounding.
    private BigDecimal amount(long counted, int digits) {
        if (freeBecause != null) {
            return BigDecimal.ZERO.setScale(digits);
        }
        return rate.perHour(gpus, cpus)
                .multiply(BigDecimal.valueOf(counted))
                .divide(HOUR, digits, RoundingMode.HALF_UP);
    }
}
