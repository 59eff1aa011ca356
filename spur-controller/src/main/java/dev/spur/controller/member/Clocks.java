package dev.spur.controller.member;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Whether this controller's clock is right, by the clocks of the others: the one in the middle is
/// taken for right. With fewer than three clocks nobody can say which is wrong.
///
/// Of another controller's clock we keep what it said and when, by our monotonic clock, and let it
/// run on from there: so a step of our own clock shows at once, and a controller that died a moment
/// ago still has its say.
public final class Clocks {
    /// A clock that was not heard of for longer may have gone anywhere.
    private static final Duration TRUSTED_FOR = Duration.ofMinutes(10);

    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Map<String, Reading> readings = new HashMap<>();

    private record Reading(Instant said, long nanos) {}

    /// @param nanos monotonic, as `System::nanoTime`
    public Clocks(InstantSource clock, LongSupplier nanos) {
        this.clock = clock;
        this.nanos = nanos;
    }

    /// Another controller's clock said this, about now.
    public synchronized void heard(String controller, Instant said) {
        readings.put(controller, new Reading(said, nanos.getAsLong()));
    }

    public synchronized void forget(String controller) {
        readings.remove(controller);
    }

    /// How far this clock is ahead of the one in the middle; negative if it is behind.
    public synchronized Duration error() {
        var now = nanos.getAsLong();
        readings.values().removeIf(reading -> now - reading.nanos() > TRUSTED_FOR.toNanos());
        var own = clock.instant();
        var all = new ArrayList<Instant>();
        all.add(own);
        for (var reading : readings.values()) {
            all.add(reading.said().plusNanos(now - reading.nanos()));
        }
        if (all.size() < 3) {
            return Duration.ZERO;
        }
        all.sort(null);
        // Of an even number, the one of the two in the middle that is nearer to ours.
        var upper = Duration.between(all.get(all.size() / 2), own);
        var lower = Duration.between(all.get((all.size() - 1) / 2), own);
        return upper.abs().compareTo(lower.abs()) < 0 ? upper : lower;
    }
}
