package dev.spur.engine.state;

import dev.spur.engine.admission.Admission;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSpec;
import dev.spur.model.Role;
import dev.spur.model.notation.DependencySpec;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// `scontrol update job`. What was asked for changes in the job's spec, which is then admitted
/// again; all changes of one request happen, or none.
final class JobUpdates {
    private final Tables tables;
    private final DependencyRules dependencies;

    JobUpdates(Tables tables, DependencyRules dependencies) {
        this.tables = tables;
        this.dependencies = dependencies;
    }

    sealed interface Answer {}

    record Updated() implements Answer {}

    record Refused(ErrorCode code, String message) implements Answer {
        static Refused of(ErrorCode code) {
            return new Refused(code, code.text());
        }
    }

    Answer update(Job job, List<JobChange> changes, Actor actor) {
        if (job.isEnded()) {
            return Refused.of(ErrorCode.ALREADY_DONE);
        }
        var changed = job;
        for (var change : changes) {
            var refusal = forbidden(changed, change, actor);
            if (refusal != null) {
                return refusal;
            }
            changed = changed(changed, change);
        }
        if (job.isPending()) {
            switch (Admission.admit(tables, actor, changed.spec(), tables.now)) {
                case Admission.Refused(var code, var message) -> {
                    return new Refused(code, message);
                }
                case Admission.Admitted admitted -> changed = changed.withTerms(admitted.terms());
            }
        }
        tables.put(changed);
        changes.forEach(change -> retellThrottle(job, change));
        tables.tell(new Event.JobChanged(changed));
        dependencies.reconsider(changed);
        return new Updated();
    }

    private @Nullable Refused forbidden(Job job, JobChange change, Actor actor) {
        var operator = actor.role().atLeast(Role.OPERATOR);
        return switch (change) {
            case JobChange.SetTimeLimit(var limit) ->
                    !operator && !job.isPending() && limit.compareTo(job.terms().timeLimit()) > 0
                            ? Refused.of(ErrorCode.ACCESS_DENIED)
                            : null;
            case JobChange.SetPriority(var priority) ->
                    !operator && priority > job.queueing().priority()
                            ? Refused.of(ErrorCode.ACCESS_DENIED)
                            : pendingOnly(job);
            case JobChange.SetNice(var nice) ->
                    !operator && nice < job.spec().nice()
                            ? Refused.of(ErrorCode.ACCESS_DENIED)
                            : null;
            case JobChange.SetAdminComment _ ->
                    operator ? null : Refused.of(ErrorCode.ACCESS_DENIED);
            case JobChange.SetDependency(var text) -> badDependency(job, text);
            case JobChange.SetName _,
                    JobChange.SetComment _,
                    JobChange.SetRequeue _,
                    JobChange.SetDeadline _,
                    JobChange.SetAccount _,
                    JobChange.SetQos _ ->
                    null;
            case JobChange.SetArrayThrottle _ ->
                    job.array() == null ? Refused.of(ErrorCode.INVALID_ARRAY) : null;
            case JobChange.SetPartitions _,
                    JobChange.SetBegin _,
                    JobChange.SetNodes _,
                    JobChange.SetTasks _,
                    JobChange.SetCpusPerTask _,
                    JobChange.SetMemory _,
                    JobChange.SetConstraint _,
                    JobChange.SetGresPerNode _,
                    JobChange.SetNodeList _,
                    JobChange.SetExclude _,
                    JobChange.SetStdOut _,
                    JobChange.SetStdErr _ ->
                    pendingOnly(job);
        };
    }

    private static @Nullable Refused pendingOnly(Job job) {
        return job.isPending() ? null : Refused.of(ErrorCode.JOB_NOT_PENDING);
    }

    private static @Nullable Refused badDependency(Job job, String text) {
        try {
            if (!text.isEmpty()) {
                DependencySpec.parse(text);
            }
            return pendingOnly(job);
        } catch (NotationException e) {
            return new Refused(ErrorCode.DEPENDENCY, String.valueOf(e.getMessage()));
        }
    }

    private Job changed(Job job, JobChange change) {
        var asked = job.withSpec(changed(job.spec(), change));
        return switch (change) {
            case JobChange.SetTimeLimit(var limit) -> withTimeLimit(asked, limit);
            case JobChange.SetPriority(var priority) -> withPriority(asked, priority);
            case JobChange.SetNice(var nice) -> withNice(asked, nice - job.spec().nice());
            case JobChange.SetRequeue(var requeue) ->
                    asked.withTerms(job.terms().withRequeue(requeue));
            case JobChange.SetBegin(var begin) ->
                    asked.withQueueing(
                            job.queueing().withNotBefore(future(begin)).withEligibleAt(null));
            case JobChange.SetDependency(var text) ->
                    asked.withQueueing(job.queueing().withDependencies(dependencies.of(text)));
            case JobChange.SetArrayThrottle(var throttle) -> withThrottle(asked, throttle);
            case JobChange.SetName _,
                    JobChange.SetPartitions _,
                    JobChange.SetDeadline _,
                    JobChange.SetComment _,
                    JobChange.SetAdminComment _,
                    JobChange.SetAccount _,
                    JobChange.SetQos _,
                    JobChange.SetNodes _,
                    JobChange.SetTasks _,
                    JobChange.SetCpusPerTask _,
                    JobChange.SetMemory _,
                    JobChange.SetConstraint _,
                    JobChange.SetGresPerNode _,
                    JobChange.SetNodeList _,
                    JobChange.SetExclude _,
                    JobChange.SetStdOut _,
                    JobChange.SetStdErr _ ->
                    asked;
        };
    }

    /// What the user is now taken to have asked for.
    private static JobSpec changed(JobSpec before, JobChange change) {
        return switch (change) {
            case JobChange.SetName(var name) -> before.with(spec -> spec.name = name);
            case JobChange.SetPartitions(var names) -> before.with(spec -> spec.partitions = names);
            case JobChange.SetAccount(var account) -> before.with(spec -> spec.account = account);
            case JobChange.SetQos(var qos) -> before.with(spec -> spec.qos = qos);
            case JobChange.SetTimeLimit(var limit) -> before.with(spec -> spec.timeLimit = limit);
            case JobChange.SetDependency(var text) -> before.with(spec -> spec.dependency = text);
            case JobChange.SetBegin(var begin) -> before.with(spec -> spec.begin = begin);
            case JobChange.SetDeadline(var time) -> before.with(spec -> spec.deadline = time);
            case JobChange.SetNice(var nice) -> before.with(spec -> spec.nice = nice);
            case JobChange.SetPriority(var number) -> before.with(spec -> spec.priority = number);
            case JobChange.SetRequeue(var requeue) -> before.with(spec -> spec.requeue = requeue);
            case JobChange.SetArrayThrottle _ -> before;
            case JobChange.SetComment(var text) ->
                    before.with(spec -> spec.notes = spec.notes.withComment(text));
            case JobChange.SetAdminComment(var text) ->
                    before.with(spec -> spec.notes = spec.notes.withAdminComment(text));
            case JobChange.SetNodes(var least, var most) ->
                    before.withRequest(request -> {
                        request.minNodes = least;
                        request.maxNodes = most;
                    });
            case JobChange.SetTasks(var tasks) ->
                    before.withRequest(request -> {
                        request.tasks = tasks;
                        request.tasksGiven = true;
                    });
            case JobChange.SetCpusPerTask(var cpus) ->
                    before.withRequest(request -> {
                        request.cpusPerTask = cpus;
                        request.cpusPerTaskGiven = true;
                    });
            case JobChange.SetMemory(var memory) ->
                    before.withRequest(request -> request.memory = memory);
            case JobChange.SetConstraint(var text) ->
                    before.withRequest(request -> request.constraint = text);
            case JobChange.SetGresPerNode(var gres) ->
                    before.withRequest(request -> request.gresPerNode = gres);
            case JobChange.SetNodeList(var nodes) ->
                    before.withRequest(request -> request.nodeList = nodes);
            case JobChange.SetExclude(var nodes) ->
                    before.withRequest(request -> request.exclude = nodes);
            case JobChange.SetStdOut(var pattern) ->
                    before.withLaunch(launch -> launch.stdOut = pattern);
            case JobChange.SetStdErr(var pattern) ->
                    before.withLaunch(launch -> launch.stdErr = pattern);
        };
    }

    private static Job withTimeLimit(Job job, TimeLimit limit) {
        var limited = job.withTerms(job.terms().withTimeLimit(limit));
        if (!(job.phase() instanceof JobPhase.Running running)) {
            return limited;
        }
        var deadline =
                limit instanceof TimeLimit.Limited some
                        ? running.since().plus(running.suspended()).plus(some.duration())
                        : null;
        return limited.with(
                new JobPhase.Running(
                        running.placement(), running.since(), deadline, running.suspended()));
    }

    private static Job withPriority(Job job, long priority) {
        var queueing = job.queueing();
        if (priority == 0) {
            return job.withQueueing(queueing.withHold(Hold.ADMIN));
        }
        return job.withQueueing(queueing.withPriority(priority).withHold(Hold.NONE));
    }

    /// A nicer job steps back by that much, as with Slurm's priorities by submission.
    private static Job withNice(Job job, int nicer) {
        var priority = Math.max(1, job.queueing().priority() - nicer);
        return job.withQueueing(job.queueing().withPriority(priority));
    }

    private static Job withThrottle(Job job, int throttle) {
        var array = job.array();
        if (array == null) {
            return job;
        }
        var limit = throttle == 0 ? OptionalInt.empty() : OptionalInt.of(throttle);
        return job.withArray(
                new ArrayTasks(array.array(), array.tasks().withThrottle(limit), array.split()));
    }

    /// The throttle counts for the whole array, so its books have it too.
    private void retellThrottle(Job job, JobChange change) {
        if (change instanceof JobChange.SetArrayThrottle(var throttle) && job.array() != null) {
            var ledger = tables.ledgerOf(job);
            var limit = throttle == 0 ? OptionalInt.empty() : OptionalInt.of(throttle);
            tables.put(ledger.withThrottle(ledger.spec().withThrottle(limit)));
        }
    }

    private @Nullable Instant future(@Nullable Instant begin) {
        return begin != null && begin.isAfter(tables.now) ? begin : null;
    }
}
