package dev.spur.engine.node;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Whether a node answers and may be used.
///
/// @param silentSince when it fell silent; missing: it answers, or never did
/// @param note why it is not in service
/// @param lease missing: its jobs go on for as long as it is silent
public record NodeCondition(
        Node.Health health,
        @Nullable Instant silentSince,
        boolean draining,
        Node.NodeNote note,
        @Nullable NodeLease lease) {
    static final NodeCondition UNKNOWN =
            new NodeCondition(Node.Health.UNKNOWN, null, false, Node.NodeNote.NONE, null);
}
