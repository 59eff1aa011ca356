package dev.spur.engine.rules;

import dev.spur.engine.array.ArrayTasks;
import dev.spur.engine.dependency.Dependencies;
import dev.spur.engine.job.Hold;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.job.JobPhase;
import dev.spur.model.Actor;
import dev.spur.model.JobSpec;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// What a change makes of a job. That it may be made has been checked.
final class ChangedJob {
    private ChangedJob() {}

    static Job of(Job job, JobChange change, Actor actor, Instant now) {
        var asked = job.withSpec(spec(job.spec(), change));
        return switch (change) {
            case JobChange.SetTimeLimit(var limit) -> withTimeLimit(asked, limit);
            case JobChange.SetPriority(var priority) -> withPriority(asked, priority, actor);
            case JobChange.SetNice(var nice) -> withNice(asked, (long) nice - job.spec().nice());
            case JobChange.SetRequeue(var requeue) ->
                    asked.withTerms(job.terms().withRequeue(requeue));
            case JobChange.SetBegin(var begin) ->
                    asked.withQueueing(
                            job.queueing().withNotBefore(future(begin, now)).withEligibleAt(null));
            case JobChange.SetDependency(var text) ->
                    asked.withQueueing(job.queueing().withDependencies(Dependencies.parse(text)));
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
                    JobChange.SetCpus _,
                    JobChange.SetCpusPerTask _,
                    JobChange.SetMemory _,
                    JobChange.SetConstraint _,
                    JobChange.SetGresPerNode _,
                    JobChange.SetNodeList _,
                    JobChange.SetExclude _,
                    JobChange.SetStdOut _,
                    JobChange.SetStdErr _,
                    JobChange.SetReservation _ ->
                    asked;
        };
    }

    /// What the user is now taken to have asked for.
    static JobSpec spec(JobSpec before, JobChange change) {
        return switch (change) {
            case JobChange.SetReservation(var name) -> before.with(spec -> spec.reservation = name);
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
            case JobChange.SetCpus(var cpus) ->
                    before.withRequest(request -> {
                        var each = Math.max(1, request.cpusPerTask);
                        request.tasks = (cpus + each - 1) / each;
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
        return switch (job.phase()) {
            case JobPhase.Running(var placement, var since, _, var suspended) ->
                    limited.with(
                            new JobPhase.Running(
                                    placement, since, end(since, suspended, limit), suspended));
            // What it stands still now is added when it goes on.
            case JobPhase.Suspended(
                            var placement,
                            var since,
                            _,
                            var suspended,
                            var at,
                            var cpusFree) ->
                    limited.with(
                            new JobPhase.Suspended(
                                    placement,
                                    since,
                                    end(since, suspended, limit),
                                    suspended,
                                    at,
                                    cpusFree));
            case JobPhase.Pending _, JobPhase.Completing _, JobPhase.Ended _ -> limited;
        };
    }

    private static @Nullable Instant end(Instant since, Duration suspended, TimeLimit limit) {
        return limit instanceof TimeLimit.Limited some
                ? since.plus(suspended).plus(some.duration())
                : null;
    }

    private static Job withPriority(Job job, long priority, Actor actor) {
        var queueing = job.queueing();
        return job.withQueueing(
                priority == 0
                        ? queueing.withHold(Hold.placedBy(actor, job, false))
                        : queueing.with(queueing.standing().withGiven(priority)));
    }

    private static Job withNice(Job job, long nicer) {
        var queueing = job.queueing();
        return job.withQueueing(queueing.with(queueing.standing().nicer(nicer)));
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

    private static @Nullable Instant future(@Nullable Instant begin, Instant now) {
        return begin != null && begin.isAfter(now) ? begin : null;
    }
}
