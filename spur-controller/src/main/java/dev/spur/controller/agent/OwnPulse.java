package dev.spur.controller.agent;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/// Whether this controller itself was awake all the time. One that was paused, with its machine or
/// alone, knows neither who was silent meanwhile nor whether it still leads.
final class OwnPulse {
    private final InstantSource clock;
    private final Duration longestGap;
    private @Nullable Instant last;
    private boolean confirmed = true;

    /// @param longestGap between two beats, as long as nothing is wrong
    OwnPulse(InstantSource clock, Duration longestGap) {
        this.clock = clock;
        this.longestGap = longestGap;
    }

    synchronized void begin() {
        last = clock.instant();
        confirmed = true;
    }

    synchronized void stop() {
        last = null;
    }

    /// False if beats were missed since the last one.
    synchronized boolean beat() {
        var steady = !isLate();
        confirmed &= steady;
        last = clock.instant();
        return steady;
    }

    /// It leads: an entry of its was written after the pause.
    synchronized void confirmed() {
        confirmed = !isLate();
    }

    /// Whether it may answer for the cluster.
    synchronized boolean isSteady() {
        return confirmed && !isLate();
    }

    private boolean isLate() {
        return last != null && clock.instant().isAfter(last.plus(longestGap));
    }
}
