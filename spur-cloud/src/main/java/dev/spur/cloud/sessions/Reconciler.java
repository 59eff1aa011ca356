package dev.spur.cloud.sessions;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps what the database says of sessions and what the cluster does the same. Of all daemons of
/// an installation one does it: whichever holds a lock in the database.
///
/// It follows the cluster's changes from where it stopped the last time, and every now and then
/// compares everything, since what is told once is lost once: submits what has no job, cancels what
/// was to end, ends what the cluster has forgotten. One question is about many sessions; none is
/// asked for each.
final class Reconciler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);
    private static final long LOCK = 0x5350_5552_4556_0002L;
    private static final Duration SWEEP_EVERY = Duration.ofSeconds(10);
    private static final Duration LOCK_TRIED_EVERY = Duration.ofSeconds(2);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

    /// Whoever asked for the session is submitting it.
    private static final Duration SUBMITTED_BY_ITS_REQUEST = Duration.ofSeconds(15);

    private static final Duration CANCELLED_AGAIN = Duration.ofSeconds(10);
    private static final Duration REQUESTS_KEPT = Duration.ofDays(2);

    private final Jdbi db;
    private final SessionStore store;
    private final Backend backend;
    private final Launches launches;
    private final Attention attention;
    private final InstantSource clock;
    private final Steps steps;
    private final AtomicBoolean leads = new AtomicBoolean();
    private final Thread thread;
    private volatile @Nullable Thread following;

    Reconciler(
            Jdbi db,
            SessionStore store,
            Backend backend,
            Launches launches,
            Attention attention,
            InstantSource clock,
            Steps steps) {
        this.db = db;
        this.store = store;
        this.backend = backend;
        this.launches = launches;
        this.attention = attention;
        this.clock = clock;
        this.steps = steps;
        this.thread = Thread.ofVirtual().name("reconciler").unstarted(this::run);
    }

    Reconciler start() {
        thread.start();
        return this;
    }

    /// Whether this daemon is the one.
    public boolean leads() {
        return leads.get();
    }

    private void run() {
        try {
            while (true) {
                try (var handle = db.open()) {
                    if (locked(handle)) {
                        lead(handle);
                    }
                } catch (RuntimeException e) {
                    LOG.atWarn().setCause(e).log("sessions could not be reconciled; again soon");
                }
                Thread.sleep(jittered(LOCK_TRIED_EVERY));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean locked(Handle handle) {
        return handle.createQuery("select pg_try_advisory_lock(:lock)")
                .bind("lock", LOCK)
                .mapTo(Boolean.class)
                .one();
    }

    /// Until the lock's connection is lost or the daemon ends.
    private void lead(Handle lock) throws InterruptedException {
        LOG.atInfo().log("this daemon reconciles sessions");
        leads.set(true);
        var follower = Thread.ofVirtual().name("session-follower").start(this::follow);
        following = follower;
        try {
            while (holds(lock)) {
                sweepSafely();
                Thread.sleep(jittered(SWEEP_EVERY));
            }
        } finally {
            leads.set(false);
            follower.interrupt();
            follower.join();
            unlock(lock);
        }
    }

    private static boolean holds(Handle lock) {
        return lock.createQuery("select 1").mapTo(Integer.class).one() == 1;
    }

    private static void unlock(Handle lock) {
        try {
            lock.createQuery("select pg_advisory_unlock(:lock)")
                    .bind("lock", LOCK)
                    .mapTo(Boolean.class)
                    .one();
        } catch (RuntimeException _) {
            // The connection is gone, and the lock with it.
        }
    }

    private void follow() {
        var pause = Duration.ofMillis(200);
        while (!Thread.currentThread().isInterrupted()) {
            var began = clock.instant();
            try {
                backend.follow(store.cursor().orElse(""), new Taking());
            } catch (InterruptedException _) {
                return;
            } catch (RuntimeException e) {
                LOG.atDebug().setCause(e).log("the cluster's changes are not told");
            }
            var lasted = Duration.between(began, clock.instant());
            pause =
                    lasted.compareTo(LONGEST_PAUSE) > 0
                            ? Duration.ofMillis(200)
                            : shorter(pause.multipliedBy(2), LONGEST_PAUSE);
            try {
                Thread.sleep(jittered(pause));
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /// Several daemons, and several installations, do not all ask at the same moment.
    private static Duration jittered(Duration pause) {
        var millis = pause.toMillis();
        return Duration.ofMillis(
                millis - millis / 5 + ThreadLocalRandom.current().nextLong(1 + millis * 2 / 5));
    }

    private final class Taking implements Backend.Follower {
        @Override
        public void changed(
                List<Backend.Observed> jobs, boolean anew, boolean complete, String cursor) {
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("this daemon no longer reconciles");
            }
            jobs.forEach(Reconciler.this::take);
            if (complete) {
                store.moveTo(cursor, clock.instant());
                steps.passed(Steps.Step.CURSOR_STORED);
            }
        }
    }

    /// A job as the cluster has it now.
    void take(Backend.Observed seen) {
        var session = store.liveOf(seen.job(), seen.key());
        session.ifPresent(found -> {
            var at = clock.instant();
            var after = store.change(found.id(), at, now -> Observations.take(now, seen, at));
            after.filter(now -> now.state().isOver())
                    .ifPresent(_ -> steps.passed(Steps.Step.END_STORED));
        });
    }

    private void sweepSafely() throws InterruptedException {
        try {
            sweep();
        } catch (BackendAwayException e) {
            LOG.atWarn()
                    .addKeyValue("because", e.getMessage())
                    .log("the cluster does not answer; sessions are reconciled when it does");
        } catch (RuntimeException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedException("stopped in the middle of a sweep");
            }
            LOG.atWarn().setCause(e).log("a sweep over sessions failed");
        }
    }

    /// Compares everything once.
    void sweep() {
        var now = clock.instant();
        store.ofTheDisabled().forEach(id -> launches.stop(id, "its owner was disabled"));
        for (var session : store.live()) {
            if (session.job() == null && isLeftAlone(session, now)) {
                submitAgain(session);
            }
        }
        compare(now);
        placeInQueue();
        attention.look(store.live(), now);
        store.forgetRequests(now.minus(REQUESTS_KEPT));
    }

    private static boolean isLeftAlone(Session session, Instant now) {
        var stop = session.stopRequestedAt();
        var since = stop == null ? session.createdAt() : stop;
        return !now.isBefore(since.plus(SUBMITTED_BY_ITS_REQUEST));
    }

    private void submitAgain(Session session) {
        launches.submit(session);
        LOG.atInfo().addKeyValue("session", session.id()).log("a session was submitted again");
    }

    private void compare(Instant now) {
        var live = store.live().stream().filter(session -> session.job() != null).toList();
        if (live.isEmpty()) {
            return;
        }
        var seen = backend.list(live.stream().map(Session::job).toList());
        seen.forEach(this::take);
        Set<Long> known = new HashSet<>();
        seen.forEach(job -> known.add(job.job()));
        for (var session : live) {
            if (!known.contains(session.job())) {
                launches.gone(session, now);
            } else if (isDueToBeCancelled(session, now)) {
                launches.cancel(session);
            }
        }
    }

    private static boolean isDueToBeCancelled(Session session, Instant now) {
        var stop = session.stopRequestedAt();
        return stop != null && !now.isBefore(stop.plus(CANCELLED_AGAIN));
    }

    private void placeInQueue() {
        var waiting =
                store.live().stream()
                        .filter(session -> session.state() == SessionState.PENDING)
                        .toList();
        if (waiting.isEmpty()) {
            return;
        }
        var places = backend.queue();
        for (var session : waiting) {
            var place = places.get(session.job());
            if (place != null) {
                store.place(session.id(), place);
            }
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        var follower = following;
        if (follower != null) {
            follower.interrupt();
        }
        try {
            if (thread.getState() != Thread.State.NEW) {
                thread.join(Duration.ofSeconds(5));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
