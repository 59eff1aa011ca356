package dev.spur.controller.scheduling;

import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.explanation.QueuePlaces;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The places that jobs have in the queue. They change with every job that comes and goes, so those
/// who ask at about the same time are told the same.
public final class QueueOrder {
    private static final Duration SERVES = Duration.ofSeconds(1);

    private final ReplicatedState state;
    private @Nullable QueuePlaces places;
    private Instant madeAt = Instant.EPOCH;

    public QueueOrder(ReplicatedState state) {
        this.state = state;
    }

    public synchronized QueuePlaces at(Instant now) {
        var known = places;
        if (known == null || now.isAfter(madeAt.plus(SERVES)) || now.isBefore(madeAt)) {
            known = new QueuePlaces(state.snapshot(), now);
            places = known;
            madeAt = now;
        }
        return known;
    }
}
