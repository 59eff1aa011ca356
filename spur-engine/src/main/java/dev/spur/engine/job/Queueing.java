package dev.spur.engine.job;

import dev.spur.engine.dependency.Dependencies;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What decides when a pending job may be looked at, and before which others.
///
/// @param notBefore a begin time, or the pause after a failed launch
/// @param eligibleAt since when nothing but resources and priority keeps it waiting; missing:
///   something does
public record Queueing(
        Standing standing,
        Hold hold,
        Dependencies dependencies,
        @Nullable Instant notBefore,
        @Nullable Instant eligibleAt) {

    public boolean isHeld() {
        return hold != Hold.NONE;
    }

    public Queueing with(Standing other) {
        return new Queueing(other, hold, dependencies, notBefore, eligibleAt);
    }

    public Queueing withHold(Hold by) {
        return new Queueing(standing, by, dependencies, notBefore, eligibleAt);
    }

    public Queueing withDependencies(Dependencies left) {
        return new Queueing(standing, hold, left, notBefore, eligibleAt);
    }

    public Queueing withNotBefore(@Nullable Instant time) {
        return new Queueing(standing, hold, dependencies, time, eligibleAt);
    }

    public Queueing withEligibleAt(@Nullable Instant time) {
        return new Queueing(standing, hold, dependencies, notBefore, time);
    }
}
