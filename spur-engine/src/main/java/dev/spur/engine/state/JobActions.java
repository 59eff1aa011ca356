package dev.spur.engine.state;

import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSelector;
import dev.spur.model.Outcome;
import dev.spur.model.Role;
import dev.spur.model.StepId;
import java.util.ArrayList;
import java.util.List;

/// What people do to jobs that exist: one answer per selector, whatever happens to the others.
final class JobActions {
    private final Tables tables;
    private final JobArrays arrays;
    private final JobLifecycle lifecycle;
    private final DependencyRules dependencies;
    private final JobUpdates updates;

    JobActions(
            Tables tables, JobArrays arrays, JobLifecycle lifecycle, DependencyRules dependencies) {
        this.tables = tables;
        this.arrays = arrays;
        this.lifecycle = lifecycle;
        this.dependencies = dependencies;
        this.updates = new JobUpdates(tables, dependencies);
    }

    /// What is done to one job; a [Refusal] says why it was not.
    private interface Action {
        Result.Verdict on(Job job);
    }

    /// Why an action was refused, to be shown with its job.
    private static final class Refusal extends RuntimeException {
        private final ErrorCode code;

        Refusal(ErrorCode code, String message) {
            super(message, null, false, false);
            this.code = code;
        }
    }

    Result cancel(Command.CancelJobs command) {
        var actor = command.actor();
        var answers = new ArrayList<Result.Answer>();
        for (var selector : command.jobs()) {
            var step = selector.step();
            answers.add(
                    step == null
                            ? each(selector, actor, job -> cancel(job, actor))
                            : each(selector, actor, job -> cancel(job, step)));
        }
        return new Result.PerJob(answers);
    }

    Result hold(Command.HoldJobs command) {
        return all(
                command.jobs(),
                command.actor(),
                job -> {
                    requirePending(job);
                    var own = command.asUser() || command.actor().uid() == job.spec().owner().uid();
                    // A user's hold does not weaken an administrator's.
                    var by = own && job.queueing().hold() != Hold.ADMIN ? Hold.USER : Hold.ADMIN;
                    return requeueing(job.withQueueing(job.queueing().withHold(by)));
                });
    }

    Result release(Command.ReleaseJobs command) {
        return all(
                command.jobs(),
                command.actor(),
                job -> {
                    requirePending(job);
                    if (job.queueing().hold() == Hold.ADMIN
                            && !command.actor().role().atLeast(Role.OPERATOR)) {
                        throw new Refusal(
                                ErrorCode.ACCESS_DENIED,
                                "job %s is held by an administrator".formatted(job.id()));
                    }
                    return requeueing(
                            job.withQueueing(job.queueing().withHold(Hold.NONE))
                                    .withAttempts(job.attempts().withoutFailures()));
                });
    }

    Result requeue(Command.RequeueJobs command) {
        var next =
                command.hold()
                        ? JobPhase.AfterCompletion.REQUEUE_HELD
                        : JobPhase.AfterCompletion.REQUEUE;
        return all(command.jobs(), command.actor(), job -> requeue(job, next));
    }

    Result suspend(Command.SuspendJobs command) {
        return all(
                command.jobs(),
                command.actor(),
                job -> {
                    requireOperator(command.actor());
                    if (!(job.phase() instanceof JobPhase.Running running)) {
                        throw new Refusal(
                                ErrorCode.JOB_NOT_RUNNING, ErrorCode.JOB_NOT_RUNNING.text());
                    }
                    lifecycle.suspend(job, running);
                    return Result.Verdict.DONE;
                });
    }

    Result resume(Command.ResumeJobs command) {
        return all(
                command.jobs(),
                command.actor(),
                job -> {
                    requireOperator(command.actor());
                    if (!(job.phase() instanceof JobPhase.Suspended suspended)) {
                        throw new Refusal(
                                ErrorCode.JOB_NOT_SUSPENDED, ErrorCode.JOB_NOT_SUSPENDED.text());
                    }
                    lifecycle.resume(job, suspended);
                    return Result.Verdict.DONE;
                });
    }

    Result update(Command.UpdateJobs command) {
        return all(
                command.jobs(),
                command.actor(),
                job -> {
                    switch (updates.update(job, command.changes(), command.actor())) {
                        case JobUpdates.Updated _ -> {}
                        case JobUpdates.Refused(var code, var message) ->
                                throw new Refusal(code, message);
                    }
                    return Result.Verdict.DONE;
                });
    }

    private Result.Verdict cancel(Job job, Actor actor) {
        return switch (job.phase()) {
            case JobPhase.Pending _ -> {
                lifecycle.end(job, Outcome.cancelledBy(actor.uid()));
                yield Result.Verdict.DONE;
            }
            case JobPhase.Running _, JobPhase.Suspended _ -> {
                lifecycle.complete(
                        job, Outcome.cancelledBy(actor.uid()), JobPhase.AfterCompletion.END);
                yield Result.Verdict.DONE;
            }
            case JobPhase.Completing phase -> {
                if (phase.next() == JobPhase.AfterCompletion.END) {
                    yield Result.Verdict.ALREADY_ENDED;
                }
                change(job, phase, Outcome.cancelledBy(actor.uid()), JobPhase.AfterCompletion.END);
                yield Result.Verdict.DONE;
            }
            case JobPhase.Ended _ -> Result.Verdict.ALREADY_ENDED;
        };
    }

    private Result.Verdict cancel(Job job, StepId id) {
        var step = job.steps().find(id).orElse(null);
        if (step == null) {
            throw new Refusal(
                    ErrorCode.ALREADY_DONE,
                    "job %s has no step %s that runs".formatted(job.id(), id));
        }
        var cancelled = job.withSteps(job.steps().with(step.asCancelled()));
        tables.put(cancelled);
        tables.tell(new Event.StepCancelled(cancelled, step.asCancelled()));
        return Result.Verdict.DONE;
    }

    private Result.Verdict requeue(Job job, JobPhase.AfterCompletion next) {
        if (!job.spec().isBatch()) {
            throw new Refusal(ErrorCode.BATCH_ONLY, ErrorCode.BATCH_ONLY.text());
        }
        if (!job.terms().requeue()) {
            throw new Refusal(
                    ErrorCode.DISABLED,
                    "job %s was submitted with --no-requeue".formatted(job.id()));
        }
        switch (job.phase()) {
            case JobPhase.Pending _ ->
                    throw new Refusal(ErrorCode.JOB_PENDING, ErrorCode.JOB_PENDING.text());
            case JobPhase.Running _ -> lifecycle.complete(job, Outcome.cancelledBy(-1), next);
            // Slurm holds a job that is requeued while it is suspended.
            case JobPhase.Suspended _ ->
                    lifecycle.complete(
                            job, Outcome.cancelledBy(-1), JobPhase.AfterCompletion.REQUEUE_HELD);
            case JobPhase.Completing phase -> change(job, phase, phase.outcome(), next);
            case JobPhase.Ended _ ->
                    lifecycle.requeue(
                            job,
                            next == JobPhase.AfterCompletion.REQUEUE_HELD ? Hold.USER : Hold.NONE);
        }
        return Result.Verdict.DONE;
    }

    private void change(
            Job job, JobPhase.Completing phase, Outcome outcome, JobPhase.AfterCompletion next) {
        var changed = job.with(phase.withEnd(outcome, next));
        tables.put(changed);
        tables.tell(new Event.JobChanged(changed));
    }

    private Result.Verdict requeueing(Job job) {
        tables.put(job);
        tables.tell(new Event.JobChanged(job));
        dependencies.reconsider(job);
        return Result.Verdict.DONE;
    }

    private static void requirePending(Job job) {
        if (!job.isPending()) {
            throw new Refusal(ErrorCode.JOB_NOT_PENDING, ErrorCode.JOB_NOT_PENDING.text());
        }
    }

    private static void requireOperator(Actor actor) {
        if (!actor.role().atLeast(Role.OPERATOR)) {
            throw new Refusal(ErrorCode.ACCESS_DENIED, ErrorCode.ACCESS_DENIED.text());
        }
    }

    private Result all(List<JobSelector> selectors, Actor actor, Action action) {
        return new Result.PerJob(
                selectors.stream().map(selector -> each(selector, actor, action)).toList());
    }

    /// Acts on every record that is meant. Done if it was done to one; else what the last one said.
    private Result.Answer each(JobSelector selector, Actor actor, Action action) {
        if (!isOwner(selector, actor)) {
            return new Result.Answer(
                    selector,
                    Result.Verdict.DENIED,
                    ErrorCode.ACCESS_DENIED,
                    ErrorCode.ACCESS_DENIED.text());
        }
        var answer =
                new Result.Answer(
                        selector,
                        Result.Verdict.NOT_FOUND,
                        ErrorCode.INVALID_JOB,
                        ErrorCode.INVALID_JOB.text());
        var done = false;
        for (var job : arrays.select(selector)) {
            answer = once(selector, job, action);
            done |= answer.verdict() == Result.Verdict.DONE;
        }
        return done ? new Result.Answer(selector, Result.Verdict.DONE, answer.code(), "") : answer;
    }

    private static Result.Answer once(JobSelector selector, Job job, Action action) {
        try {
            var verdict = action.on(job);
            var text = verdict == Result.Verdict.ALREADY_ENDED ? ErrorCode.ALREADY_DONE.text() : "";
            return new Result.Answer(selector, verdict, ErrorCode.ALREADY_DONE, text);
        } catch (Refusal refusal) {
            var verdict =
                    refusal.code == ErrorCode.ACCESS_DENIED
                            ? Result.Verdict.DENIED
                            : Result.Verdict.REFUSED;
            return new Result.Answer(
                    selector, verdict, refusal.code, String.valueOf(refusal.getMessage()));
        }
    }

    /// Checked before a record is split: who may not act must not change anything.
    private boolean isOwner(JobSelector selector, Actor actor) {
        var records = tables.index.ofArray(selector.job());
        var job = records.isEmpty() ? tables.jobs.get(selector.job().value()) : records.getFirst();
        return job == null || actor.mayManage(job.spec().owner().uid());
    }
}
