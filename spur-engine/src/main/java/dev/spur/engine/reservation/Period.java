package dev.spur.engine.reservation;

import java.time.Duration;
import java.time.Instant;

/// From a moment up to, and without, another one.
public record Period(Instant start, Instant end) {
    public Period {
        if (!start.isBefore(end)) {
            throw new IllegalArgumentException(
                    "a period ends after it starts: " + start + ", " + end);
        }
    }

    public Duration duration() {
        return Duration.between(start, end);
    }

    public boolean contains(Instant moment) {
        return !moment.isBefore(start) && moment.isBefore(end);
    }

    public boolean overlaps(Period other) {
        return start.isBefore(other.end) && other.start.isBefore(end);
    }
}
