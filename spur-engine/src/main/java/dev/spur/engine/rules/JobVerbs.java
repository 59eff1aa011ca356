package dev.spur.engine.rules;

import dev.spur.engine.job.Hold;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.Outcome;
import dev.spur.model.Role;
import dev.spur.model.StepId;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.Text;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What people do to jobs that exist: one answer per selector, whatever happens to the others.
final class JobVerbs {
    private static final ErrorCode DENIED = ErrorCode.ACCESS_DENIED;

    private final Tables tables;
    private final JobArrays arrays;
    private final JobLifecycle lifecycle;
    private final JobUpdates updates;

    JobVerbs(Tables tables, JobArrays arrays, JobLifecycle lifecycle) {
        this.tables = tables;
        this.arrays = arrays;
        this.lifecycle = lifecycle;
        this.updates = new JobUpdates(tables, lifecycle);
    }

    /// What is done to one job; a [Refusal] says why it was not.
    private interface Action {
        Result.Verdict on(Job job);
    }

    /// Why an action was refused, to be shown with its job.
    private static final class Refusal extends RuntimeException {
        private final ErrorCode code;

        Refusal(ErrorCode code) {
            this(code, code.text());
        }

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
                            ? each(selector, actor, DENIED, job -> cancel(job, actor))
                            : each(selector, actor, DENIED, job -> cancel(job, step, actor)));
        }
        return new Result.PerJob(answers);
    }

    /// Also of jobs that run: it counts when they are requeued.
    Result hold(Command.HoldJobs command) {
        return all(
                command.jobs(),
                command.actor(),
                job -> {
                    requireLiving(job);
                    var by = Hold.placedBy(command.actor(), job, command.asUser());
                    return requeueing(job.withQueueing(job.queueing().withHold(by)));
                });
    }

    Result release(Command.ReleaseJobs command) {
        return all(
                command.jobs(),
                command.actor(),
                job -> {
                    requireLiving(job);
                    if (!job.queueing().hold().mayBeLiftedBy(command.actor())) {
                        throw new Refusal(
                                ErrorCode.ACCESS_DENIED,
                                Text.of("job %s is held by an administrator", job.id()));
                    }
                    return requeueing(
                            job.withQueueing(job.queueing().withHold(Hold.NONE))
                                    .withAttempts(job.attempts().withoutFailures()));
                });
    }

    Result requeue(Command.RequeueJobs command) {
        var next =
                command.specialExit()
                        ? JobPhase.AfterCompletion.REQUEUE_SPECIAL_EXIT
                        : command.hold()
                                ? JobPhase.AfterCompletion.REQUEUE_HELD
                                : JobPhase.AfterCompletion.REQUEUE;
        var actor = command.actor();
        return new Result.PerJob(
                command.jobs().stream()
                        .map(selector ->
                                each(
                                        selector,
                                        actor,
                                        DENIED,
                                        job ->
                                                command.incompleteOnly() && !runs(job)
                                                        ? Result.Verdict.DONE
                                                        : requeue(job, next)))
                        .toList());
    }

    Result suspend(Command.SuspendJobs command) {
        return all(
                command.jobs(),
                command.actor(),
                job -> {
                    requireOperator(command.actor());
                    return suspend(job, command.freesCpus());
                });
    }

    Result resume(Command.ResumeJobs command) {
        return all(
                command.jobs(),
                command.actor(),
                job -> {
                    requireOperator(command.actor());
                    return resume(job);
                });
    }

    private Result.Verdict suspend(Job job, boolean freesCpus) {
        return switch (job.phase()) {
            case JobPhase.Pending _ -> throw new Refusal(ErrorCode.JOB_PENDING);
            case JobPhase.Running running -> {
                lifecycle.suspend(job, running, freesCpus);
                yield Result.Verdict.DONE;
            }
            case JobPhase.Suspended _ -> Result.Verdict.DONE;
            case JobPhase.Completing _, JobPhase.Ended _ -> Result.Verdict.ALREADY_ENDED;
        };
    }

    /// Its CPUs are never given twice: as long as others have them, it stands still.
    private Result.Verdict resume(Job job) {
        return switch (job.phase()) {
            case JobPhase.Pending _ -> throw new Refusal(ErrorCode.JOB_PENDING);
            case JobPhase.Running _ -> throw new Refusal(ErrorCode.JOB_NOT_SUSPENDED);
            case JobPhase.Suspended suspended -> {
                var taken = lifecycle.lackingCpus(suspended);
                if (!taken.isEmpty()) {
                    throw new Refusal(
                            ErrorCode.NODES_BUSY,
                            Text.of(
                                    "other jobs have the CPUs of job %s on %s. Resume it when they have ended",
                                    job.id(), Hostlist.compress(taken)));
                }
                lifecycle.resume(job, suspended);
                yield Result.Verdict.DONE;
            }
            case JobPhase.Completing _, JobPhase.Ended _ -> Result.Verdict.ALREADY_ENDED;
        };
    }

    /// `scontrol top`: see [QueueTop].
    Result top(Command.TopJobs command) {
        if (!command.actor().role().atLeast(Role.OPERATOR)) {
            return all(
                    command.jobs(),
                    command.actor(),
                    _ -> {
                        throw new Refusal(ErrorCode.ACCESS_DENIED);
                    });
        }
        var chosen = new ArrayList<JobId>();
        var answer =
                all(
                        command.jobs(),
                        command.actor(),
                        job -> {
                            if (!job.isPending()) {
                                throw new Refusal(ErrorCode.JOB_NOT_PENDING);
                            }
                            if (job.queueing().isHeld()) {
                                throw new Refusal(ErrorCode.JOB_HELD);
                            }
                            chosen.add(job.id());
                            return Result.Verdict.DONE;
                        });
        new QueueTop(tables, command.actor()).raise(chosen);
        return answer;
    }

    Result update(Command.UpdateJobs command) {
        var actor = command.actor();
        var isAboutTime =
                command.changes().stream().allMatch(JobChange.SetTimeLimit.class::isInstance);
        Action action =
                job -> {
                    switch (updates.update(job, command.changes(), command.actor())) {
                        case JobUpdates.Updated _ -> {}
                        case JobUpdates.Refused(var code, var message) ->
                                throw new Refusal(code, message);
                    }
                    return Result.Verdict.DONE;
                };
        return new Result.PerJob(
                command.jobs().stream()
                        .map(selector ->
                                isAboutTime && isOfTheirCloud(selector, actor)
                                        ? done(selector, action)
                                        : each(selector, actor, ErrorCode.INVALID_USER, action))
                        .toList());
    }

    private Result.Verdict cancel(Job job, Actor actor) {
        return switch (job.phase()) {
            case JobPhase.Pending pending -> {
                lifecycle.end(job, Outcome.cancelledBy(actor.uid()).withReason(pending.reason()));
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

    private Result.Verdict cancel(Job job, StepId id, Actor actor) {
        var step = job.steps().find(id).orElse(null);
        if (step == null) {
            throw new Refusal(
                    ErrorCode.INVALID_JOB,
                    Text.of("job %s has no step %s that runs", job.id(), id));
        }
        var ending = step.asCancelled(actor.uid());
        var cancelled = job.withSteps(job.steps().with(ending));
        tables.put(cancelled, new Event.StepCancelled(cancelled, ending));
        return Result.Verdict.DONE;
    }

    private static boolean runs(Job job) {
        return job.phase() instanceof JobPhase.Running || job.phase() instanceof JobPhase.Suspended;
    }

    private Result.Verdict requeue(Job job, JobPhase.AfterCompletion next) {
        if (!job.spec().isBatch()) {
            throw new Refusal(ErrorCode.BATCH_ONLY, ErrorCode.BATCH_ONLY.text());
        }
        if (!job.terms().requeue()) {
            throw new Refusal(
                    ErrorCode.DISABLED,
                    Text.of("job %s was submitted with --no-requeue", job.id()));
        }
        switch (job.phase()) {
            case JobPhase.Pending _ ->
                    throw new Refusal(ErrorCode.JOB_PENDING, ErrorCode.JOB_PENDING.text());
            case JobPhase.Running _ -> lifecycle.complete(job, Outcome.cancelledBy(-1), next);
            // Slurm holds a job that is requeued while it is suspended.
            case JobPhase.Suspended _ ->
                    lifecycle.complete(
                            job,
                            Outcome.cancelledBy(-1),
                            next == JobPhase.AfterCompletion.REQUEUE
                                    ? JobPhase.AfterCompletion.REQUEUE_HELD
                                    : next);
            case JobPhase.Completing phase -> {
                if (phase.next() != JobPhase.AfterCompletion.END) {
                    throw new Refusal(ErrorCode.JOB_PENDING, ErrorCode.JOB_PENDING.text());
                }
                change(job, phase, phase.outcome(), next);
            }
            case JobPhase.Ended _ -> lifecycle.requeue(job, next.holdOf(job));
        }
        return Result.Verdict.DONE;
    }

    private void change(
            Job job, JobPhase.Completing phase, Outcome outcome, JobPhase.AfterCompletion next) {
        var changed = job.with(phase.withEnd(outcome, next));
        tables.put(changed, new Event.JobChanged(changed));
    }

    private Result.Verdict requeueing(Job job) {
        tables.put(job, new Event.JobChanged(job));
        lifecycle.reconsider(job);
        return Result.Verdict.DONE;
    }

    private static void requireLiving(Job job) {
        if (!job.mayRunAgain()) {
            throw new Refusal(ErrorCode.ALREADY_DONE, ErrorCode.ALREADY_DONE.text());
        }
    }

    private static void requireOperator(Actor actor) {
        if (!actor.role().atLeast(Role.OPERATOR)) {
            throw new Refusal(ErrorCode.ACCESS_DENIED, ErrorCode.ACCESS_DENIED.text());
        }
    }

    private Result all(List<JobSelector> selectors, Actor actor, Action action) {
        return new Result.PerJob(
                selectors.stream()
                        .map(selector -> each(selector, actor, ErrorCode.INVALID_USER, action))
                        .toList());
    }

    /// Acts on every record that is meant. Done if it was done to one; else what the last one said.
    ///
    /// @param denied what Slurm says to those whose job it is not
    private Result.Answer each(JobSelector selector, Actor actor, ErrorCode denied, Action action) {
        if (!isOwner(selector, actor)) {
            return new Result.Answer(selector, Result.Verdict.DENIED, denied, denied.text());
        }
        return done(selector, action);
    }

    private Result.Answer done(JobSelector selector, Action action) {
        var answer =
                new Result.Answer(
                        selector,
                        Result.Verdict.NOT_FOUND,
                        ErrorCode.INVALID_JOB,
                        ErrorCode.INVALID_JOB.text());
        var done = false;
        for (var chosen : arrays.select(selector)) {
            // As it is now: what was done to one before it may have ended it.
            var job = tables.job(chosen.id()).orElseThrow();
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
        var job = anyOf(selector);
        return job == null || tables.mayManage(actor, job);
    }

    private boolean isOfTheirCloud(JobSelector selector, Actor actor) {
        var job = anyOf(selector);
        return job != null && tables.isTheirCloud(actor, job);
    }

    private @Nullable Job anyOf(JobSelector selector) {
        var record = tables.index.anyOfArray(selector.job());
        return record == null ? tables.jobs.get(selector.job().value()) : record;
    }
}
