package dev.spur.controller.raft;

import org.jspecify.annotations.Nullable;

/// Who leads. The epoch grows with every change of leader, also over restarts: agents refuse older
/// ones.
public sealed interface Leadership {
    record Leading(long epoch) implements Leadership {}

    /// @param leader the leader's client address, if known
    record Following(@Nullable String leader) implements Leadership {}

    default boolean isLeading() {
        return this instanceof Leading;
    }
}
