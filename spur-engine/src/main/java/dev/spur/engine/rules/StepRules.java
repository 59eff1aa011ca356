package dev.spur.engine.rules;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.layout.StepAllocator;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.Step;
import dev.spur.engine.step.StepEnd;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.ErrorCode;
import dev.spur.model.ExitStatus;
import dev.spur.model.JobState;
import dev.spur.model.Outcome;
import dev.spur.model.StepId;
import dev.spur.model.notation.Text;
import java.time.Duration;
import java.util.List;

/// Steps inside a job: created when there is room, ended node by node.
final class StepRules {
    private static final int MOST_STEPS = 40_000;

    /// Steps that overlap, for any job; and for each of its CPUs.
    private static final int LIVE_STEPS = 256;

    private static final int LIVE_STEPS_PER_CPU = 4;

    private final Tables tables;
    private final JobLifecycle lifecycle;

    StepRules(Tables tables, JobLifecycle lifecycle) {
        this.tables = tables;
        this.lifecycle = lifecycle;
    }

    Result create(Command.CreateStep command) {
        var job = tables.jobs.get(command.job().value());
        if (job == null) {
            return Result.Refused.of(ErrorCode.INVALID_JOB);
        }
        if (command.actor().uid() != job.spec().owner().uid()) {
            return Result.Refused.of(ErrorCode.ACCESS_DENIED);
        }
        return switch (job.phase()) {
            case JobPhase.Pending _ -> Result.Refused.of(ErrorCode.JOB_PENDING);
            case JobPhase.Running running -> create(job, running, command.step());
            case JobPhase.Suspended _ ->
                    new Result.StepBusy(Text.of("job %s is suspended", job.id()));
            case JobPhase.Completing _, JobPhase.Ended _ ->
                    Result.Refused.of(ErrorCode.ALREADY_DONE);
        };
    }

    private Result create(Job job, JobPhase.Running running, StepRequest request) {
        if (job.steps().next() >= MOST_STEPS) {
            return Result.Refused.of(ErrorCode.STEP_LIMIT);
        }
        var mostLive = LIVE_STEPS + LIVE_STEPS_PER_CPU * running.placement().cpus();
        if (job.steps().live().size() >= mostLive) {
            return new Result.StepBusy(
                    Text.of("job %s has %d steps under way, its most", job.id(), mostLive));
        }
        return switch (StepAllocator.allocate(running.placement(), job.steps().live(), request)) {
            case StepAllocator.Busy(var why) -> new Result.StepBusy(why);
            case StepAllocator.Refused(var code, var message) -> new Result.Refused(code, message);
            case StepAllocator.Fits fits -> create(job, request, fits, running.suspended());
        };
    }

    private Result create(
            Job job, StepRequest request, StepAllocator.Fits fits, Duration suspended) {
        var id = request.interactive() ? StepId.INTERACTIVE : new StepId(job.steps().next());
        var step =
                new Step(
                        id,
                        request.name(),
                        tables.now,
                        request.timeLimit(),
                        fits.layout(),
                        new Step.Streams(request.stdOut(), request.stdErr(), request.stdIn()),
                        Step.Progress.since(suspended));
        var changed = job.withSteps(job.steps().with(step));
        tables.put(changed, new Event.StepCreated(changed, step));
        return new Result.StepCreated(job.id(), step, job.attempt());
    }

    Result started(Command.StepStarted report) {
        var job = tables.jobs.get(report.job().value());
        if (job == null || job.attempt() != report.attempt()) {
            return new Result.Ignored("the report is about an attempt that is over");
        }
        var step = job.steps().find(report.step()).orElse(null);
        var position = step == null ? -1 : step.position(report.node());
        if (step == null || position < 0 || step.startedOn().contains(position)) {
            return new Result.Ignored("nothing new");
        }
        var launched =
                report.step().equals(StepId.BATCH)
                        ? job.withAttempts(job.attempts().withoutFailures())
                        : job;
        tables.note(launched.withSteps(job.steps().with(step.withStarted(position))));
        return Result.DONE;
    }

    Result ended(Command.StepEnded report) {
        var job = tables.jobs.get(report.job().value());
        if (job == null || job.attempt() != report.attempt()) {
            return new Result.Ignored("the report is about an attempt that is over");
        }
        var step = job.steps().find(report.step()).orElse(null);
        var position = step == null ? -1 : step.position(report.node());
        if (step == null || position < 0 || step.endedOn().contains(position)) {
            return report.nothingLeft()
                    ? lifecycle.gone(job, report.node())
                    : new Result.Ignored("the end of this step is known");
        }
        var end = report.end();
        var status = end.outOfMemory() ? ExitStatus.OUT_OF_MEMORY : end.exit();
        var part = step.withEnded(position, status, end, tables.now);
        var changed =
                job.withSteps(
                        part.isEnded()
                                ? job.steps().without(part, tables.now)
                                : job.steps().with(part));
        var ended = new Event.StepEndedOn(changed, part, report.node(), end);
        if (part.isEnded()) {
            tables.put(changed, ended, new Event.StepFinished(changed, part));
        } else {
            tables.put(changed, ended);
        }
        switch (changed.phase()) {
            case JobPhase.Running _, JobPhase.Suspended _ -> {
                if (step.id().equals(StepId.BATCH)) {
                    scriptEnded(
                            changed,
                            end,
                            report.nothingLeft() ? List.of(report.node()) : List.of());
                }
            }
            case JobPhase.Completing phase -> {
                var known =
                        step.id().equals(StepId.BATCH)
                                ? phase.withEnd(outcome(phase, end), phase.next())
                                : phase;
                if (known != phase) {
                    tables.note(changed.with(known));
                }
                if (report.nothingLeft()) {
                    lifecycle.gone(changed.with(known), known, report.node());
                }
            }
            case JobPhase.Pending _, JobPhase.Ended _ -> {}
        }
        return Result.DONE;
    }

    /// The script decides how the job ends, unless that is decided already.
    ///
    /// @param gone its node, if nothing else of the job runs there
    private void scriptEnded(Job job, StepEnd end, List<String> gone) {
        if (end.lost()) {
            lifecycle.failedByNode(job, gone);
        } else {
            lifecycle.complete(
                    job, JobLifecycle.outcomeOf(end), JobPhase.AfterCompletion.END, gone);
        }
    }

    /// That a job was cancelled, or took too long, is one thing; how its script ended is another,
    /// and `scontrol show job` tells both, as Slurm's does: `0:15`, or what a trap made of it.
    private static Outcome outcome(JobPhase.Completing phase, StepEnd end) {
        if (endedUnheard(phase, end)) {
            return JobLifecycle.outcomeOf(end);
        }
        return phase.outcome().exit().isSuccess() && !end.lost()
                ? phase.outcome().withExit(end.exit())
                : phase.outcome();
    }

    /// The controller stepped in at the time limit because it heard nothing of a script that had
    /// ended by itself.
    private static boolean endedUnheard(JobPhase.Completing phase, StepEnd end) {
        return phase.outcome().state() == JobState.TIMEOUT
                && !end.lost()
                && end.endedAt().isBefore(phase.endedAt());
    }
}
