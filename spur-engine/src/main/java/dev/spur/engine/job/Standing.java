package dev.spur.engine.job;

import org.jspecify.annotations.Nullable;

/// What a job's priority is computed from, beside its spec and since when it may start: when it
/// came, and what somebody set by hand.
///
/// @param order each submission gets one less
/// @param given the priority that was set; missing: it is computed
public record Standing(long order, @Nullable Long given) {
    public Standing withGiven(long priority) {
        return new Standing(order, priority);
    }

    /// What was set by hand steps back as far as a computed one would.
    public Standing nicer(long by) {
        return given == null ? this : withGiven(Math.max(1, given - by));
    }
}
