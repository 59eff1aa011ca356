package dev.spur.engine.rules;

import dev.spur.engine.admission.Admission;
import dev.spur.engine.demand.Feasibility;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.job.JobTerms;
import dev.spur.engine.priority.PriorityPolicy;
import dev.spur.engine.site.Partition;
import dev.spur.engine.state.Event;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// `scontrol update job`. What was asked for changes in the job's spec, which is then admitted
/// again; all changes of one request happen, or none.
final class JobUpdates {
    private final Tables tables;
    private final JobLifecycle lifecycle;

    JobUpdates(Tables tables, JobLifecycle lifecycle) {
        this.tables = tables;
        this.lifecycle = lifecycle;
    }

    sealed interface Answer {}

    record Updated() implements Answer {}

    record Refused(ErrorCode code, String message) implements Answer {
        static Refused of(ErrorCode code) {
            return new Refused(code, code.text());
        }
    }

    private long priority(Job job) {
        return PriorityPolicy.of(tables).priority(job, tables, tables.now);
    }

    Answer update(Job job, List<JobChange> changes, Actor actor) {
        if (job.isEnded()) {
            return Refused.of(ErrorCode.ALREADY_DONE);
        }
        var changed = job;
        for (var change : changes) {
            var refusal = tooLong(job, changed, change, actor);
            if (refusal == null && !isForTheirCloud(job, change, actor)) {
                var soFar = changed;
                refusal = ChangeCheck.refusal(changed, change, actor, () -> priority(soFar));
            }
            if (refusal != null) {
                return refusal;
            }
            changed = ChangedJob.of(changed, change, actor, tables.now);
        }
        if (job.isPending()) {
            switch (Admission.readmit(tables, actor, changed.spec(), job.spec(), tables.now)) {
                case Admission.Refused(var code, var message) -> {
                    return new Refused(code, message);
                }
                case Admission.Admitted admitted ->
                        changed = changed.withTerms(admitted.terms().replacing(job.terms()));
            }
            var isElsewhere = !changed.terms().charge().equals(job.terms().charge());
            var limit =
                    changed.terms() == job.terms()
                            ? null
                            : lifecycle.enteringLimit(
                                    changed.spec(),
                                    changed.terms(),
                                    isElsewhere ? tasks(changed) : 0);
            if (limit != null) {
                return new Refused(ErrorCode.LIMIT_REACHED, limit.toString());
            }
            if (isPlacedOtherwise(job.terms(), changed.terms()) && isHopeless(changed.terms())) {
                return Refused.of(ErrorCode.PARTITION_CONFIG_UNAVAILABLE);
            }
        }
        tables.put(changed, new Event.JobChanged(changed));
        changes.forEach(change -> retellThrottle(job, change));
        lifecycle.reconsider(changed);
        if (!changed.spec().name().equals(job.spec().name())) {
            lifecycle.leftName(job);
        }
        return new Updated();
    }

    /// How long sessions last is for the cloud to say.
    private boolean isForTheirCloud(Job job, JobChange change, Actor actor) {
        return change instanceof JobChange.SetTimeLimit && tables.isTheirCloud(actor, job);
    }

    private static int tasks(Job job) {
        return job.array() == null ? 1 : job.array().tasks().count();
    }

    private static boolean isPlacedOtherwise(JobTerms before, JobTerms after) {
        return !before.demand().equals(after.demand())
                || !before.partitions().equals(after.partitions());
    }

    /// Whether none of its partitions could ever start it, as far as its nodes are known.
    private boolean isHopeless(JobTerms terms) {
        return terms.partitions().stream()
                .flatMap(name -> tables.partition(name).stream())
                .noneMatch(partition ->
                        partition.nodes().isEmpty()
                                || isUndescribed(partition)
                                || Feasibility.ever(tables, partition, terms.demand()));
    }

    /// Nodes of which nothing is known yet may turn out to have anything.
    private boolean isUndescribed(Partition partition) {
        return tables.nodeClasses().stream()
                .anyMatch(nodes ->
                        nodes.shape().cpus() == 0 && nodes.members().intersects(partition.nodes()));
    }

    /// Asked before anything reads the text: one request may put it into thousands of jobs.
    private @Nullable Refused tooLong(Job job, Job soFar, JobChange change, Actor actor) {
        var obstacle =
                actor.role().atLeast(Role.OPERATOR)
                        ? null
                        : tables.index
                                .holdings()
                                .obstacle(job.spec(), ChangedJob.spec(soFar.spec(), change));
        return obstacle == null ? null : new Refused(ErrorCode.LIMIT_REACHED, obstacle);
    }

    /// The throttle counts for the whole array, so its books have it too.
    private void retellThrottle(Job job, JobChange change) {
        if (change instanceof JobChange.SetArrayThrottle(var throttle) && job.array() != null) {
            var ledger = tables.ledgerOf(job);
            var limit = throttle == 0 ? OptionalInt.empty() : OptionalInt.of(throttle);
            tables.put(ledger.withThrottle(ledger.spec().withThrottle(limit)));
        }
    }
}
