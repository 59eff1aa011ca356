package dev.spur.cloud.sessions;

import dev.spur.cloud.config.SessionsSection;
import dev.spur.cloud.projects.Projects;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings sessions into the cluster and out of it.
///
/// Everything is written down before it is done, and done so that doing it twice does it once: the
/// intent first, then the submission under the session's key, then the job's number; the wish to
/// end first, then the cancelling. A crash between any two leaves a row from which {@link
/// Reconciler} goes on.
final class Launches {
    private static final Logger LOG = LoggerFactory.getLogger(Launches.class);
    static final String ACCOUNT = "cloud";

    private final SessionStore store;
    private final Backend backend;
    private final Projects projects;
    private final SealedSecrets secrets;
    private final SessionsSection config;
    private final InstantSource clock;
    private final Steps steps;

    Launches(
            SessionStore store,
            Backend backend,
            Projects projects,
            SealedSecrets secrets,
            SessionsSection config,
            InstantSource clock,
            Steps steps) {
        this.store = store;
        this.backend = backend;
        this.projects = projects;
        this.secrets = secrets;
        this.config = config;
        this.clock = clock;
        this.steps = steps;
    }

    /// Stores the intent, and submits it. If the cluster cannot be asked now, the session waits as
    /// `creating` for when it can.
    SessionStore.Stored launch(SessionStore.Intent intent) {
        var stored = store.intend(intent, config.maxPerUser());
        if (!(stored instanceof SessionStore.New(var session))) {
            return stored;
        }
        steps.passed(Steps.Step.INTENT_STORED);
        try {
            return new SessionStore.New(submit(session));
        } catch (BackendAwayException e) {
            LOG.atWarn()
                    .addKeyValue("session", session.id())
                    .addKeyValue("because", e.getMessage())
                    .log("a session is submitted later");
            return new SessionStore.New(session);
        }
    }

    /// Submits what has no job yet. Also for sessions that are to end: only their job's number
    /// makes sure that there will be none.
    Session submit(Session session) {
        var submission =
                new Backend.Submission(
                        session.submitKey(),
                        session.account(),
                        session.name(),
                        account(session),
                        session.gpuType(),
                        session.gpuCount(),
                        session.cpus(),
                        session.memoryMb(),
                        session.diskMb(),
                        session.partition(),
                        session.timeLimitMin(),
                        setup(session),
                        environment(session),
                        session.stopRequestedAt() != null);
        var submitted = backend.submit(submission);
        steps.passed(Steps.Step.SUBMITTED);
        var after =
                switch (submitted) {
                    case Backend.Accepted(var job) -> accepted(session, job);
                    case Backend.Refused(var because) -> refused(session, because);
                };
        if (after.isStopping()) {
            cancel(after);
        }
        return after;
    }

    private Session accepted(Session session, long job) {
        var after =
                store.change(
                                session.id(),
                                clock.instant(),
                                now -> {
                                    if (now.job() != null) {
                                        return null;
                                    }
                                    var draft = new SessionDraft(now);
                                    draft.job = job;
                                    if (now.state() != SessionState.CREATING) {
                                        return draft.silently();
                                    }
                                    draft.state = SessionState.PENDING;
                                    draft.reason = null;
                                    draft.errorMessage = null;
                                    return draft.as(
                                            SessionChange.kindOf(SessionState.PENDING),
                                            "The cluster has the session as job %d."
                                                    .formatted(job));
                                })
                        .orElse(session);
        steps.passed(Steps.Step.JOB_STORED);
        return after;
    }

    private Session refused(Session session, String because) {
        var at = clock.instant();
        var after =
                store.change(
                                session.id(),
                                at,
                                now -> {
                                    if (now.job() != null) {
                                        return null;
                                    }
                                    var draft = new SessionDraft(now);
                                    var stopped = now.stopRequestedAt() != null;
                                    draft.state =
                                            stopped ? SessionState.CANCELLED : SessionState.FAILED;
                                    draft.reason =
                                            stopped ? now.stopReason() : "refused by the cluster";
                                    draft.errorMessage = stopped ? null : because;
                                    draft.endedAt = at;
                                    return draft.as(SessionChange.kindOf(draft.state), because);
                                })
                        .orElse(session);
        steps.passed(Steps.Step.REFUSAL_STORED);
        return after;
    }

    private String account(Session session) {
        var project = session.project();
        return project == null
                ? ACCOUNT
                : projects.find(project).map(Projects.Project::account).orElse(ACCOUNT);
    }

    private String setup(Session session) {
        return template(session.template()).map(SessionsSection.Template::setup).orElse("");
    }

    Optional<SessionsSection.Template> template(@Nullable String name) {
        return config.templates().stream().filter(t -> t.name().equals(name)).findFirst();
    }

    LinkedHashMap<String, String> environment(Session session) {
        var all = new LinkedHashMap<>(session.env());
        all.putAll(secrets.unseal(session.id(), session.secrets()));
        return all;
    }

    /// Ends a session; empty if there is none. One that is over stays as it is.
    Optional<Session> stop(UUID id, String because) {
        var at = clock.instant();
        var marked =
                store.change(
                        id,
                        at,
                        now -> {
                            if (now.stopRequestedAt() != null) {
                                return null;
                            }
                            var draft = new SessionDraft(now);
                            draft.state = SessionState.STOPPING;
                            draft.stopRequestedAt = at;
                            draft.stopReason = because;
                            draft.reason = because;
                            return draft.as(
                                    SessionChange.kindOf(SessionState.STOPPING),
                                    "The session ends: %s.".formatted(because));
                        });
        steps.passed(Steps.Step.STOP_STORED);
        marked.filter(session -> session.isStopping() && session.job() != null)
                .ifPresent(this::cancelSoon);
        return marked;
    }

    /// What cannot be done now is done by the reconciler.
    private void cancelSoon(Session session) {
        try {
            cancel(session);
        } catch (BackendAwayException e) {
            LOG.atWarn()
                    .addKeyValue("session", session.id())
                    .addKeyValue("because", e.getMessage())
                    .log("a session is cancelled later");
        }
    }

    void cancel(Session session) {
        var job = session.job();
        if (job != null) {
            backend.cancel(session.account(), job);
            steps.passed(Steps.Step.CANCEL_SENT);
        }
    }

    /// The cluster knows the job no more, and nobody saw its end.
    void gone(Session session, Instant now) {
        store.change(
                session.id(),
                now,
                current -> {
                    if (!java.util.Objects.equals(current.job(), session.job())) {
                        return null;
                    }
                    var draft = new SessionDraft(current);
                    var stopped = current.stopRequestedAt() != null;
                    draft.state = stopped ? SessionState.CANCELLED : SessionState.FAILED;
                    draft.reason = stopped ? current.stopReason() : "unknown to the cluster";
                    draft.errorMessage =
                            stopped
                                    ? null
                                    : "The cluster no longer knows job %d; how it ended is not known."
                                            .formatted(current.job());
                    draft.endedAt = end(current, now);
                    draft.endsAt = null;
                    draft.expectedStart = null;
                    draft.queuePosition = null;
                    return draft.as(
                            SessionChange.kindOf(draft.state), Observations.text(draft.session()));
                });
    }

    /// Not after the time when it would have ended by itself.
    private static Instant end(Session session, Instant now) {
        var limit = session.endsAt();
        return limit != null && limit.isBefore(now) ? limit : now;
    }
}
