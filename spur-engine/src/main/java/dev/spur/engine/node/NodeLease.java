package dev.spur.engine.node;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What a node was promised, whatever the configuration says by now: this long after the last word
/// of its agent nothing of its jobs is left there. Never shorter than what the agent counts on.
///
/// @param endsAt of a node that fell silent: when that is
public record NodeLease(Duration goneWithin, @Nullable Instant endsAt) {
    public NodeLease endingAfter(Instant lastWord) {
        return new NodeLease(goneWithin, lastWord.plus(goneWithin));
    }

    public NodeLease goingOn() {
        return new NodeLease(goneWithin, null);
    }
}
