package dev.spur.engine.scheduling;

import dev.spur.engine.job.JobTerms;
import dev.spur.engine.priority.PriorityPolicy;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Reason;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Conservative backfill: a job that cannot start now reserves its earliest slot, and jobs behind
/// it start only where they delay nobody ahead. Same snapshot and time in, same decisions out.
///
/// Jobs are looked at by partition tier, priority as of the last plan, submission and id; a job of
/// several partitions has a place in the queue of each, and the earliest start wins. Jobs that ask
/// for the same are one [Shape]: what one of them learned holds for those behind it.
///
/// It keeps what it derived from the last snapshot, so following one costs what has changed since.
/// Used by one thread.
public final class BackfillPass {
    private final Bounds bounds;
    private final Function<Snapshot, PriorityPolicy> policy;
    private @Nullable QueueState state;
    private @Nullable Pass last;
    private long passes;

    /// What a pass does at most. Jobs behind the last reservation start if they fit now and delay
    /// no reservation; starts that are left over are for the next pass.
    ///
    /// @param looks at what nodes have at some moment. When half of them are used up nobody
    ///   reserves any more; when all are, the pass ends with what it has.
    public record Bounds(int reservations, int starts, long looks) {
        public static final Bounds DEFAULTS = ofJobs(10_000);

        /// About two seconds.
        private static final long MOST_LOOKS = 200_000_000;

        /// `[scheduler] max_jobs_per_cycle`.
        public static Bounds ofJobs(int most) {
            return new Bounds(most, most, MOST_LOOKS);
        }
    }

    public BackfillPass() {
        this(Bounds.DEFAULTS);
    }

    public BackfillPass(Bounds bounds) {
        this(bounds, PriorityPolicy::of);
    }

    /// @param policy by which the jobs of a snapshot are ordered
    BackfillPass(Bounds bounds, Function<Snapshot, PriorityPolicy> policy) {
        this.bounds = bounds;
        this.policy = policy;
    }

    /// The whole plan: what starts now, and about those who wait what no earlier plan of this pass
    /// has told.
    public List<Decision> plan(Snapshot cluster, Instant now) {
        return planned(cluster, now).plan();
    }

    /// The cheap half of a plan, for every change between two plans: starts jobs in order as long
    /// as they fit. A job that does not fit keeps the nodes it could use free of those behind it,
    /// so this never starts what a plan would not.
    public List<Decision> startNow(Snapshot cluster, Instant now) {
        return pass(follow(cluster, now), now).startNow();
    }

    /// A plan to ask where and when jobs that are not in the queue would start (`--test-only`).
    /// Good until the next call of this pass.
    public Forecast forecast(Snapshot cluster, Instant now) {
        var pass = planned(cluster, now);
        pass.plan();
        return new Forecast(pass);
    }

    /// What a plan says about jobs that are not in it.
    public static final class Forecast {
        private final Pass pass;

        private Forecast(Pass pass) {
            this.pass = pass;
        }

        /// Behind all that are in the queue.
        public Trial trial(JobTerms terms) {
            return pass.trial(terms);
        }

        /// How much was looked at to make it: a hundred million are about a second.
        public long looks() {
            return pass.effort.spent();
        }
    }

    /// @param start missing if never
    /// @param obstacle why it would not start at all; missing if it would
    public record Trial(
            @Nullable Instant start,
            String partition,
            List<String> nodes,
            long cpus,
            @Nullable Reason obstacle) {
        /// The same at another time.
        public Trial at(Instant other) {
            return new Trial(other, partition, nodes, cpus, obstacle);
        }
    }

    /// Whoever heard what is new so far has gone: the next plan tells all of it.
    public void tellAgain() {
        if (state != null) {
            state.tellAgain();
        }
    }

    /// A pass along the queue as the present priorities order it.
    private Pass planned(Snapshot cluster, Instant now) {
        var known = follow(cluster, now);
        known.reorder();
        return pass(known, now);
    }

    private Pass pass(QueueState known, Instant now) {
        var pass = new Pass(known, now, ++passes, bounds);
        last = pass;
        return pass;
    }

    private QueueState follow(Snapshot cluster, Instant now) {
        var inForce = policy.apply(cluster);
        var known = state;
        if (known == null || !known.follow(cluster, inForce, now)) {
            known = new QueueState(cluster, inForce, now);
            state = known;
        }
        return known;
    }

    /// How much the last pass looked at.
    public long looks() {
        return last == null ? 0 : last.effort.spent();
    }
}
