package dev.spur.controller.raft;

import org.jspecify.annotations.Nullable;

/// This controller does not lead; the proposal did not take place.
public final class NotLeaderException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final @Nullable String leader;

    public NotLeaderException(@Nullable String leader) {
        super(
                leader == null
                        ? "this controller does not lead and knows no leader yet; try again in a moment"
                        : "this controller does not lead; ask " + leader);
        this.leader = leader;
    }

    /// The leader's client address, if known.
    public @Nullable String leader() {
        return leader;
    }
}
