package dev.spur.testkit.simulated;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// The clock on one machine: it may be wrong, and somebody may set it.
final class SimulatedClock implements InstantSource {
    private final SimulatedTime time;
    private Duration ahead = Duration.ZERO;

    SimulatedClock(SimulatedTime time) {
        this.time = time;
    }

    @Override
    public Instant instant() {
        return time.instant().plus(ahead);
    }

    /// @param by how far ahead of the true time it is from now on; negative: behind
    void set(Duration by) {
        ahead = by;
    }
}
