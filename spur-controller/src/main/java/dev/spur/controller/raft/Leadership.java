package dev.spur.controller.raft;

import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import org.jspecify.annotations.Nullable;

/// Who leads. The epoch grows with every change of leader, also over restarts: agents refuse older
/// ones.
public sealed interface Leadership {
    /// This controller leads.
    record Leading(long epoch) implements Leadership {}

    /// Another controller leads.
    ///
    /// @param leader its client address, if known
    record Following(@Nullable String leader) implements Leadership {}

    /// Nobody has led for a while: too few controllers are up, or they do not reach each other.
    ///
    /// @param controllers how many there are in all
    record NoMajority(int controllers) implements Leadership {}

    default boolean isLeading() {
        return this instanceof Leading;
    }

    /// What to tell who asked a controller that does not lead for what only the leader does. It did
    /// not take place.
    default RuntimeException refusal() {
        return switch (this) {
            case Leading _ -> new NotLeaderException(null); // no longer, or not just yet
            case Following(var leader) -> new NotLeaderException(leader);
            case NoMajority(var controllers) ->
                    new SpurException(
                            ErrorCode.NO_MAJORITY,
                            "no majority of the controllers answers: of %d, %d have to be up and reach each other. Nothing can be changed until then; what runs goes on. See which are up: scontrol ping"
                                    .formatted(controllers, controllers / 2 + 1));
        };
    }
}
