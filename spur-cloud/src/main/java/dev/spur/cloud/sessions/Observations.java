package dev.spur.cloud.sessions;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What becomes of a session when the cluster is seen to say something of its job. Times are the
/// cluster's, never those of looking.
final class Observations {
    private Observations() {}

    /// Null: nothing new.
    static SessionStore.@Nullable Change take(Session session, Backend.Observed seen, Instant now) {
        if (session.state().isOver() || seen.attempt() < session.attempt()) {
            return null;
        }
        var draft = new SessionDraft(session);
        draft.job = seen.job();
        draft.attempt = seen.attempt();
        var anew = seen.attempt() > session.attempt() && session.attempt() > 0;
        draft.state = state(session, seen);
        draft.reason = reason(session, seen, draft.state);
        draft.errorMessage =
                draft.state == SessionState.CANCELLED ? session.errorMessage() : seen.message();
        if (seen.node() != null || anew) {
            draft.node = seen.node();
        }
        draft.startedAt = seen.startedAt() != null || anew ? seen.startedAt() : session.startedAt();
        draft.endsAt = draft.state.isOver() ? null : seen.endsAt();
        draft.endedAt =
                draft.state.isOver() ? (seen.endedAt() == null ? now : seen.endedAt()) : null;
        if (draft.state == SessionState.PENDING) {
            draft.expectedStart =
                    seen.expectedStart() == null ? session.expectedStart() : seen.expectedStart();
        } else {
            draft.expectedStart = null;
            draft.queuePosition = null;
        }
        if (seen.limitMinutes() > 0) {
            draft.timeLimitMin = seen.limitMinutes();
        }
        if (anew) {
            draft.warnedAt = null;
            draft.usedAt = null;
        }
        return change(session, draft, anew);
    }

    /// Whoever asked for the end sees it coming until it is there.
    private static SessionState state(Session session, Backend.Observed seen) {
        if (session.stopRequestedAt() == null) {
            return seen.state();
        }
        if (!seen.state().isOver()) {
            return SessionState.STOPPING;
        }
        return seen.state() == SessionState.COMPLETED
                ? SessionState.COMPLETED
                : SessionState.CANCELLED;
    }

    private static @Nullable String reason(
            Session session, Backend.Observed seen, SessionState state) {
        return session.stopRequestedAt() != null && state != SessionState.COMPLETED
                ? session.stopReason()
                : seen.reason();
    }

    private static SessionStore.@Nullable Change change(
            Session session, SessionDraft draft, boolean anew) {
        var after = draft.session();
        if (anew && after.state() != SessionState.STOPPING && !after.state().isOver()) {
            return draft.as(
                    SessionChange.REQUEUED,
                    "The cluster runs the session anew from the beginning (attempt %d)."
                            .formatted(after.attempt()));
        }
        if (after.state() != session.state()) {
            return draft.as(SessionChange.kindOf(after.state()), text(after));
        }
        return isSame(session, after) ? null : draft.silently();
    }

    private static boolean isSame(Session one, Session other) {
        return Objects.equals(one.job(), other.job())
                && one.attempt() == other.attempt()
                && Objects.equals(one.reason(), other.reason())
                && Objects.equals(one.node(), other.node())
                && Objects.equals(one.startedAt(), other.startedAt())
                && Objects.equals(one.endsAt(), other.endsAt())
                && Objects.equals(one.expectedStart(), other.expectedStart())
                && one.timeLimitMin() == other.timeLimitMin();
    }

    static String text(Session session) {
        var reason = session.reason() == null ? "" : " (%s)".formatted(session.reason());
        return switch (session.state()) {
            case CREATING -> "The cluster is asked for the session.";
            case PENDING -> "The session waits for its place%s.".formatted(reason);
            case RUNNING -> "The session runs on %s.".formatted(session.node());
            case STOPPING -> "The session ends%s.".formatted(reason);
            case SUSPENDED -> "The session is suspended.";
            case COMPLETED -> "The session has ended%s.".formatted(reason);
            case CANCELLED -> "The session was ended%s.".formatted(reason);
            case FAILED ->
                    session.errorMessage() == null
                            ? "The session failed%s.".formatted(reason)
                            : session.errorMessage();
        };
    }
}
