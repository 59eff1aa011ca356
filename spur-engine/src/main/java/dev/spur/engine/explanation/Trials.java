package dev.spur.engine.explanation;

import dev.spur.engine.array.ArrayLedger;
import dev.spur.engine.job.Job;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.scheduling.Decision;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.table.TableView;
import dev.spur.model.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Plans the queue as it would be if one job were another, by the same pass that plans the real
/// one. Stops when it has looked at as much as it may.
final class Trials {
    private final Snapshot cluster;
    private final Instant now;
    private final BackfillPass pass;
    private final long most;
    private long spent;
    private boolean isExhausted;

    /// @param most looks of all trials together
    Trials(Snapshot cluster, Instant now, BackfillPass.Bounds bounds, long most) {
        this.cluster = cluster;
        this.now = now;
        this.most = most;
        pass = new BackfillPass(bounds);
    }

    /// What a plan says of a job.
    ///
    /// @param start missing if it cannot be foreseen
    record Outcome(@Nullable Instant start, Decision.@Nullable Wait told) {
        static final Outcome UNKNOWN = new Outcome(null, null);
    }

    /// Of a job as it is.
    Outcome asItIs(Job job) {
        return plan(cluster, job.id());
    }

    /// Of a job as it would be, in its own place.
    ///
    /// @param ledger of its array, if that changes too
    Outcome with(Job changed, @Nullable ArrayLedger ledger) {
        var arrays =
                ledger == null
                        ? cluster.arrays()
                        : cluster.arrays().with(ledger.array().value(), ledger);
        return plan(over(cluster.jobs().with(changed.id().value(), changed), arrays), changed.id());
    }

    /// Of another job instead of one that is there.
    Outcome instead(Job of, Job other) {
        var jobs = cluster.jobs().without(of.id().value()).with(other.id().value(), other);
        return plan(over(jobs, cluster.arrays()), other.id());
    }

    boolean isExhausted() {
        return isExhausted;
    }

    private Snapshot over(TableView<Job> jobs, TableView<ArrayLedger> arrays) {
        return new Snapshot(
                cluster.now(),
                cluster.site(),
                jobs,
                arrays,
                cluster.credentials(),
                cluster.requests(),
                cluster.marks());
    }

    private Outcome plan(Snapshot supposed, JobId id) {
        if (spent >= most) {
            isExhausted = true;
            return Outcome.UNKNOWN;
        }
        pass.tellAgain();
        var decisions = pass.plan(supposed, now);
        spent += pass.looks() + supposed.jobs().size();
        return decisions.stream()
                .filter(decision -> decision.job().equals(id))
                .findFirst()
                .map(this::outcome)
                .orElse(Outcome.UNKNOWN);
    }

    private Outcome outcome(Decision decision) {
        return switch (decision) {
            case Decision.Start _ -> new Outcome(now, null);
            case Decision.Wait wait -> new Outcome(wait.expectedStart(), wait);
        };
    }
}
