package dev.spur.controller.raft;

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

    default boolean isLeading() {
        return this instanceof Leading;
    }
}
