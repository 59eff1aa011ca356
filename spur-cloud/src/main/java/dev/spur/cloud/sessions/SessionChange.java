package dev.spur.cloud.sessions;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A row of `session_event`: something that happened to a session.
///
/// @param id grows; streams go on behind one
/// @param kind as in `session.running`
/// @param text for people
/// @param revision of the session afterwards
public record SessionChange(
        long id,
        UUID session,
        UUID person,
        @Nullable UUID project,
        Instant at,
        String kind,
        String text,
        long revision) {
    public static final String CREATED = "session.created";
    public static final String RENAMED = "session.renamed";
    public static final String EXTENDED = "session.extended";
    public static final String EXPIRING = "session.expiring";
    public static final String IDLE = "session.idle";
    public static final String REQUEUED = "session.requeued";
    public static final String DELETED = "session.deleted";

    static String kindOf(SessionState state) {
        return "session." + state.word();
    }

    /// Whether nobody can be in the session any more.
    public boolean isEnd() {
        return switch (kind) {
            case "session.completed", "session.failed", "session.cancelled", DELETED -> true;
            default -> false;
        };
    }
}
