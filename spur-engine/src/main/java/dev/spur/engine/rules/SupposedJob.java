package dev.spur.engine.rules;

import dev.spur.engine.admission.Admission;
import dev.spur.engine.dependency.Dependencies;
import dev.spur.engine.job.Hold;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.job.JobRun;
import dev.spur.engine.job.Queueing;
import dev.spur.engine.job.Standing;
import dev.spur.engine.job.Submission;
import dev.spur.engine.limit.Budgets;
import dev.spur.engine.limit.JobAmounts;
import dev.spur.engine.limit.LimitRules;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Actor;
import dev.spur.model.JobId;
import dev.spur.model.JobSpec;
import dev.spur.model.Reason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A waiting job as it would be if somebody changed it, by the rules by which it would be changed.
/// Nothing happens: it is there to be tried.
public final class SupposedJob {
    private SupposedJob() {}

    /// After `scontrol update`; null if that would be refused.
    public static @Nullable Job changed(
            Snapshot cluster, Job job, JobChange change, Actor actor, Instant now) {
        if (ChangeCheck.refusal(job, change, actor, () -> 0) != null) {
            return null;
        }
        var changed = ChangedJob.of(job, change, actor, now);
        return switch (Admission.readmit(cluster, actor, changed.spec(), job.spec(), now)) {
            case Admission.Refused _ -> null;
            case Admission.Admitted admitted ->
                    considered(changed.withTerms(admitted.terms().replacing(job.terms())), now);
        };
    }

    /// After `scontrol release`.
    public static Job released(Job job, Instant now) {
        return considered(
                job.withQueueing(job.queueing().withHold(Hold.NONE))
                        .withAttempts(job.attempts().withoutFailures()),
                now);
    }

    /// The limit of an association or a QOS that would keep a new job out; null if none would.
    public static @Nullable Reason keptOut(
            Snapshot cluster, JobSpec spec, Admission.Admitted admitted, Instant now) {
        if (!cluster.config().rules().accounting().limits()) {
            return null;
        }
        var inUse = new Budgets();
        inUse.recount(cluster.jobs(), cluster);
        var terms = admitted.terms();
        var candidate =
                new LimitRules.Candidate(
                        terms.charge(),
                        spec.owner().userName(),
                        JobAmounts.requested(terms, cluster),
                        null,
                        terms.timeLimit());
        return new LimitRules(cluster, inUse, now)
                .toEnter(candidate, admitted.tasks() == null ? 1 : admitted.tasks().count());
    }

    /// Submitted now instead of the one that is there; null if that would be refused. Arrays are
    /// not supposed.
    public static @Nullable Job resubmitted(
            Snapshot cluster, Job job, JobSpec spec, Actor actor, Instant now) {
        if (job.array() != null) {
            return null;
        }
        return switch (Admission.admit(cluster, actor, spec, now)) {
            case Admission.Refused _ -> null;
            case Admission.Admitted admitted ->
                    considered(
                            new Job(
                                    new JobId(cluster.counters().jobSequence() + 1),
                                    new Submission(now, spec, job.script(), job.environment()),
                                    admitted.terms(),
                                    null,
                                    new Queueing(
                                            new Standing(
                                                    cluster.counters().submitOrder(),
                                                    spec.priority()),
                                            Hold.NONE,
                                            Dependencies.parse(spec.dependency()),
                                            null,
                                            null),
                                    JobRun.first(new JobPhase.Pending(Reason.NONE))),
                            now);
        };
    }

    /// In the queue, if nothing keeps it out.
    private static Job considered(Job job, Instant now) {
        var queueing = job.queueing();
        var notBefore = queueing.notBefore();
        var isFree =
                !queueing.isHeld()
                        && queueing.dependencies().isEmpty()
                        && (notBefore == null || !notBefore.isAfter(now));
        var since = queueing.eligibleAt() == null ? now : queueing.eligibleAt();
        return job.withQueueing(queueing.withEligibleAt(isFree ? since : null));
    }
}
