package dev.spur.cloud.sessions;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A session being changed: what of it ever changes.
final class SessionDraft {
    private final Session before;
    String name;
    SessionState state;
    @Nullable String reason;
    int timeLimitMin;
    byte @Nullable [] secrets;
    @Nullable Long job;
    int attempt;
    @Nullable String node;
    @Nullable Instant startedAt;
    @Nullable Instant endedAt;
    @Nullable Instant endsAt;
    @Nullable Instant expectedStart;
    @Nullable Integer queuePosition;
    @Nullable String errorMessage;
    @Nullable Instant warnedAt;
    @Nullable Instant usedAt;
    @Nullable Instant stopRequestedAt;
    @Nullable String stopReason;
    @Nullable Instant deletedAt;

    SessionDraft(Session session) {
        before = session;
        name = session.name();
        state = session.state();
        reason = session.reason();
        timeLimitMin = session.timeLimitMin();
        secrets = session.secrets();
        job = session.job();
        attempt = session.attempt();
        node = session.node();
        startedAt = session.startedAt();
        endedAt = session.endedAt();
        endsAt = session.endsAt();
        expectedStart = session.expectedStart();
        queuePosition = session.queuePosition();
        errorMessage = session.errorMessage();
        warnedAt = session.warnedAt();
        usedAt = session.usedAt();
        stopRequestedAt = session.stopRequestedAt();
        stopReason = session.stopReason();
        deletedAt = session.deletedAt();
    }

    Session session() {
        return new Session(
                before.id(),
                before.person(),
                before.project(),
                name,
                state,
                reason,
                before.backend(),
                before.gpuType(),
                before.gpuCount(),
                before.cpus(),
                before.memoryMb(),
                before.diskMb(),
                before.template(),
                before.image(),
                before.partition(),
                timeLimitMin,
                before.idleMin(),
                before.sshEnabled(),
                before.env(),
                secrets,
                before.account(),
                before.submitKey(),
                job,
                attempt,
                node,
                before.createdAt(),
                startedAt,
                endedAt,
                endsAt,
                expectedStart,
                queuePosition,
                errorMessage,
                warnedAt,
                usedAt,
                stopRequestedAt,
                stopReason,
                deletedAt,
                before.revision());
    }

    SessionStore.Change as(String kind, String text) {
        return new SessionStore.Change(session(), kind, text);
    }

    SessionStore.Change silently() {
        return new SessionStore.Change(session(), null, "");
    }
}
