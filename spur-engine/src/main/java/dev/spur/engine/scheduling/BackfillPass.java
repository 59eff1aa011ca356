package dev.spur.engine.scheduling;

import dev.spur.engine.state.JobTerms;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Reason;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Conservative backfill: a job that cannot start now reserves its earliest slot, and jobs behind
/// it start only where they delay nobody ahead. Same snapshot and time in, same decisions out.
///
/// Jobs are looked at by partition tier, priority, submission and id; a job of several partitions
/// has a place in the queue of each, and the earliest start wins. Jobs that ask for the same are
/// one [Shape]: what one of them learned holds for those behind it.
///
/// It keeps what it derived from the last snapshot, so following one costs what has changed since.
/// Used by one thread.
public final class BackfillPass {
    private final Bounds bounds;
    private @Nullable Kept kept;
    private long passes;

    /// What a pass does at most. Jobs behind the last reservation start if they fit now and delay
    /// no reservation; starts that are left over are for the next pass.
    public record Bounds(int reservations, int starts) {
        public static final Bounds DEFAULTS = ofJobs(10_000);

        /// `[scheduler] max_jobs_per_cycle`.
        public static Bounds ofJobs(int most) {
            return new Bounds(most, most);
        }
    }

    public BackfillPass() {
        this(Bounds.DEFAULTS);
    }

    public BackfillPass(Bounds bounds) {
        this.bounds = bounds;
    }

    /// The whole plan: what starts now, and what is new about those who wait.
    public List<Decision> plan(Snapshot cluster, Instant now) {
        return pass(cluster, now).plan();
    }

    /// The cheap half of a plan, for every change between two plans: starts jobs in order as long
    /// as they fit. A job that does not fit keeps the nodes it could use free of those behind it,
    /// so this never starts what a plan would not.
    public List<Decision> startNow(Snapshot cluster, Instant now) {
        return pass(cluster, now).startNow();
    }

    /// Where and when a job that is not in the queue would start (`--test-only`).
    public Trial trial(Snapshot cluster, Instant now, JobTerms terms) {
        var pass = pass(cluster, now);
        pass.plan();
        return pass.trial(terms);
    }

    /// @param start missing if never
    /// @param obstacle why it would not start at all; missing if it would
    public record Trial(
            @Nullable Instant start,
            String partition,
            List<String> nodes,
            long cpus,
            @Nullable Reason obstacle) {}

    private Pass pass(Snapshot cluster, Instant now) {
        var known = kept;
        if (known == null || !known.follow(cluster)) {
            known = new Kept(cluster);
            kept = known;
        }
        return new Pass(known, now, ++passes, bounds);
    }
}
