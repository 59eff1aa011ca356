package dev.spur.testkit.simulated;

import dev.spur.controller.access.Caller;
import dev.spur.engine.job.Hold;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What users were told, and whether the state keeps it: jobs that were accepted are there, start
/// as they were asked for, do not start while an administrator holds them, and are not ended by a
/// time limit that they have not reached.
final class Promises {
    private static final Duration CLOCKS_DIFFER_BY = Duration.ofSeconds(20);

    private final Map<JobId, Promise> jobs = new TreeMap<>();
    private final Set<String> startsSeen = new HashSet<>();
    private final Set<String> endsSeen = new HashSet<>();
    private final Map<String, Instant> deadlines = new HashMap<>();
    private final Map<String, Long> revoked = new TreeMap<>();

    /// An accepted job.
    static final class Promise {
        private final Caller.Person owner;
        private final boolean array;
        private final Set<JobState> ends;
        private final long revision;
        private boolean seenEnded;
        private int unanswered;
        private @Nullable Instant heldSince;
        private @Nullable Duration shortestLimit;

        Promise(Caller.Person owner, boolean array, Set<JobState> ends, long revision) {
            this.owner = owner;
            this.array = array;
            this.ends = ends;
            this.revision = revision;
        }

        Caller.Person owner() {
            return owner;
        }

        boolean isArray() {
            return array;
        }

        Set<JobState> ends() {
            return ends;
        }

        /// From now on it may also end so.
        void mayEnd(JobState state) {
            ends.add(state);
        }

        /// Somebody asks to limit its time so. He may ask for another limit before anybody has seen
        /// that this one ended it.
        void limitAsked(Duration limit) {
            shortestLimit =
                    shortestLimit == null || limit.compareTo(shortestLimit) < 0
                            ? limit
                            : shortestLimit;
        }

        /// An administrator asks to hold it or to let it go: until everything of that kind is
        /// answered, it may be either.
        void asked() {
            heldSince = null;
            unanswered++;
        }

        void answered() {
            unanswered--;
        }

        /// An administrator was told that it is held.
        void held(Instant at) {
            answered();
            if (unanswered == 0) {
                heldSince = at;
            }
        }
    }

    /// @param revision of the newest state when this was said
    void accepted(JobId id, Caller.Person owner, boolean array, Set<JobState> ends, long revision) {
        var before = jobs.put(id, new Promise(owner, array, ends, revision));
        if (before != null) {
            throw new AssertionError("two requests were answered with job " + id);
        }
    }

    void revoked(String token, long revision) {
        revoked.put(token, revision);
    }

    int count() {
        return jobs.size();
    }

    Map<JobId, Promise> jobs() {
        return jobs;
    }

    @Nullable JobId any(Random random) {
        return jobs.isEmpty() ? null : List.copyOf(jobs.keySet()).get(random.nextInt(jobs.size()));
    }

    // ---- always ----

    void check(Snapshot state) {
        jobs.forEach((id, promise) -> checkThere(id, promise, state));
        for (var job : state.jobs()) {
            checkStart(job, state);
            noteDeadline(job);
            checkLimit(job);
            checkLaunches(job);
        }
        revoked.forEach((token, revision) -> {
            var known = state.credentials().tokens().get(token);
            if (state.revision() >= revision && known != null && !known.revoked()) {
                throw new AssertionError("a token was revoked and is good again: " + token);
            }
        });
    }

    private static void checkThere(JobId id, Promise promise, Snapshot state) {
        var job = state.job(id).orElse(null);
        if (job != null) {
            promise.seenEnded |= job.isEnded();
            checkHold(job, promise);
        } else if (!promise.seenEnded && state.revision() >= promise.revision && !isFull(state)) {
            throw new AssertionError("job %s was acknowledged and is gone".formatted(id));
        }
    }

    /// Then what has just ended may have made room for another at once.
    private static boolean isFull(Snapshot state) {
        return state.jobs().size() >= state.config().rules().maxJobCount();
    }

    private static void checkHold(Job job, Promise promise) {
        var since = promise.heldSince;
        if (since != null
                && job.phase() instanceof JobPhase.Running running
                && running.since().isAfter(since)) {
            throw new AssertionError(
                    "job %s is held by an administrator since %s, and started at %s"
                            .formatted(job.shownId(), since, running.since()));
        }
    }

    /// It is given up only when it was tried as often as the configuration says.
    private static void checkLaunches(Job job) {
        if (job.queueing().hold() == Hold.REQUEUES
                && job.attempt() + 1 < ClusterRules.DEFAULTS.maxRequeues()) {
            throw new AssertionError(
                    "job %s is held after %d launches that failed"
                            .formatted(job.shownId(), job.attempt() + 1));
        }
    }

    /// A job starts as it is when it starts.
    private void checkStart(Job job, Snapshot state) {
        if (!(job.phase() instanceof JobPhase.Running(var placement, _, _, _))
                || !startsSeen.add(job.id() + "." + job.attempt())) {
            return;
        }
        var demand = job.terms().demand();
        var nodes = placement.nodes();
        var right =
                placement.cpus() >= demand.cpus()
                        && nodes.size() >= demand.minNodes()
                        && nodes.size() <= demand.maxNodes()
                        && placement.nodeNames().containsAll(demand.required())
                        && demand.excluded().stream().noneMatch(placement::uses)
                        && job.terms().partitions().contains(placement.partition());
        for (var wanted : demand.gresPerNode()) {
            right &=
                    nodes.stream()
                            .allMatch(share ->
                                    share.gres().stream()
                                                    .filter(gres ->
                                                            gres.name().equals(wanted.name()))
                                                    .mapToLong(gres -> gres.indices().size())
                                                    .sum()
                                            >= wanted.count());
        }
        if (!right) {
            throw new AssertionError(
                    "job %s asked for %s and got %s at %s"
                            .formatted(job.shownId(), demand, placement, state.now()));
        }
    }

    /// A node that is away ends a job by the limit that it was told, so the earliest that the job
    /// ever had counts here. That limits reach nodes that can be reached is for [OrdersArrive].
    private void noteDeadline(Job job) {
        if (job.phase() instanceof JobPhase.Running(_, _, var deadline, _) && deadline != null) {
            deadlines.merge(
                    job.id() + "." + job.attempt(),
                    deadline,
                    (one, other) -> one.isBefore(other) ? one : other);
        }
    }

    /// Looked at once, when it has just ended: the limit may be changed afterwards.
    private void checkLimit(Job job) {
        if (!(job.phase() instanceof JobPhase.Completing end)
                || !endsSeen.add(job.id() + "." + job.attempt())
                || end.outcome().state() != JobState.TIMEOUT
                || !job.spec().reservation().isEmpty() // with which it ends, too
                || hasReached(job, end)) {
            return;
        }
        var earliest = deadlines.get(job.id() + "." + job.attempt());
        if (earliest == null || end.endedAt().plus(CLOCKS_DIFFER_BY).isBefore(earliest)) {
            throw new AssertionError(
                    "job %s was ended at %s by a time limit that ends at %s"
                            .formatted(job.shownId(), end.endedAt(), earliest));
        }
    }

    /// A limit that is lowered below what the job has run for ends it at once. The limit may be
    /// another by the time that one looks: one entry of the log may lower it and raise it.
    private boolean hasReached(Job job, JobPhase.Completing end) {
        var ran =
                Duration.between(end.since(), end.endedAt())
                        .minus(end.suspended())
                        .plus(CLOCKS_DIFFER_BY);
        var promise = jobs.get(job.array() == null ? job.id() : job.array().array());
        var asked = promise == null ? null : promise.shortestLimit;
        return asked != null && ran.compareTo(asked) >= 0
                || job.terms().timeLimit() instanceof TimeLimit.Limited limited
                        && ran.compareTo(limited.duration()) >= 0;
    }
}
