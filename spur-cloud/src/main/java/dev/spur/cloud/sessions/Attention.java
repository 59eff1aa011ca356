package dev.spur.cloud.sessions;

import dev.spur.cloud.config.SessionsSection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks after sessions that run: warns before their end, measures what they use, and ends those
/// that nobody uses if their owners wanted that.
final class Attention {
    private static final Logger LOG = LoggerFactory.getLogger(Attention.class);
    private static final Duration MEASURED_EVERY = Duration.ofMinutes(1);
    private static final Duration USAGE_KEPT = Duration.ofDays(30);

    /// Waiting costs a little CPU time, too.
    private static final double BUSY_CPUS = 0.05;

    private final SessionStore store;
    private final Backend backend;
    private final Launches launches;
    private final SessionsSection config;
    private Instant measuredAt = Instant.MIN;

    Attention(SessionStore store, Backend backend, Launches launches, SessionsSection config) {
        this.store = store;
        this.backend = backend;
        this.launches = launches;
        this.config = config;
    }

    void look(List<Session> live, Instant now) {
        var running = live.stream().filter(s -> s.state() == SessionState.RUNNING).toList();
        running.forEach(session -> warn(session, now));
        if (!running.isEmpty() && !now.isBefore(measuredAt.plus(MEASURED_EVERY))) {
            measuredAt = now;
            measure(running, now);
            running.forEach(session -> endIfIdle(session, now));
            store.forgetUsage(now.minus(USAGE_KEPT));
        }
    }

    private void warn(Session session, Instant now) {
        var end = session.endsAt();
        if (end == null
                || now.isBefore(end.minus(config.warning()))
                || end.equals(session.warnedAt())) {
            return;
        }
        store.change(
                session.id(),
                now,
                current -> {
                    if (!end.equals(current.endsAt()) || end.equals(current.warnedAt())) {
                        return null;
                    }
                    var draft = new SessionDraft(current);
                    draft.warnedAt = end;
                    var minutes = Math.max(1, Duration.between(now, end).toMinutes());
                    return draft.as(
                            SessionChange.EXPIRING,
                            "The session ends in %d minutes. Save your work, or extend it."
                                    .formatted(minutes));
                });
    }

    /// One question for each person, who alone may ask it.
    private void measure(List<Session> running, Instant now) {
        var byAccount = running.stream().collect(Collectors.groupingBy(Session::account));
        byAccount.forEach((account, sessions) -> {
            try {
                var uses =
                        backend.usage(
                                account,
                                sessions.stream()
                                        .map(Session::job)
                                        .filter(Objects::nonNull)
                                        .toList());
                for (var session : sessions) {
                    var use = uses.get(session.job());
                    if (use != null) {
                        store.measured(session.id(), now, use);
                    }
                }
            } catch (BackendAwayException e) {
                LOG.atDebug().setCause(e).log("usage of sessions was not told");
            }
        });
    }

    private void endIfIdle(Session session, Instant now) {
        var limit = session.idleMin();
        var started = session.startedAt();
        if (limit == null || started == null) {
            return;
        }
        if (isBusy(session, now)) {
            store.used(session.id(), now);
            return;
        }
        var used = session.usedAt();
        var since = used == null ? started : used;
        if (!now.isBefore(since.plus(Duration.ofMinutes(limit)))) {
            launches.stop(session.id(), "not used for %d minutes".formatted(limit));
        }
    }

    private boolean isBusy(Session session, Instant now) {
        var latest = store.usage(session.id(), now.minus(MEASURED_EVERY.multipliedBy(2)));
        return latest.stream().anyMatch(m -> m.cpus() != null && m.cpus() > BUSY_CPUS);
    }
}
