package dev.spur.engine.state;

import dev.spur.engine.layout.StepAllocator;
import dev.spur.model.ErrorCode;
import dev.spur.model.ExitStatus;
import dev.spur.model.IndexSet;
import dev.spur.model.JobState;
import dev.spur.model.StepId;

/// Steps inside a job: created when there is room, ended node by node.
final class StepRules {
    private static final int MOST_STEPS = 40_000;

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
                    new Result.StepBusy("job %s is suspended".formatted(job.id()));
            case JobPhase.Completing _, JobPhase.Ended _ ->
                    Result.Refused.of(ErrorCode.ALREADY_DONE);
        };
    }

    private Result create(Job job, JobPhase.Running running, StepRequest request) {
        if (job.steps().next() >= MOST_STEPS) {
            return Result.Refused.of(ErrorCode.STEP_LIMIT);
        }
        return switch (StepAllocator.allocate(running.placement(), job.steps().live(), request)) {
            case StepAllocator.Busy(var why) -> new Result.StepBusy(why);
            case StepAllocator.Refused(var code, var message) -> new Result.Refused(code, message);
            case StepAllocator.Fits fits -> create(job, request, fits);
        };
    }

    private Result create(Job job, StepRequest request, StepAllocator.Fits fits) {
        var id = request.interactive() ? StepId.INTERACTIVE : new StepId(job.steps().next());
        var step =
                new Step(
                        id,
                        request.name(),
                        fits.nodes(),
                        fits.tasks(),
                        fits.cpusPerTask(),
                        tables.now,
                        request.timeLimit(),
                        fits.claims(),
                        request.distribution(),
                        IndexSet.EMPTY,
                        IndexSet.EMPTY,
                        ExitStatus.SUCCESS,
                        false,
                        request.stdOut(),
                        request.stdErr(),
                        request.stdIn(),
                        request.gresPerTask());
        var changed = job.withSteps(job.steps().with(step));
        tables.put(changed);
        tables.tell(new Event.StepCreated(changed, step));
        return new Result.StepCreated(job.id(), step);
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
        tables.put(launched.withSteps(job.steps().with(step.withStarted(position))));
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
            return new Result.Ignored("the end of this step is known");
        }
        var end = report.end();
        var status = end.outOfMemory() ? ExitStatus.OUT_OF_MEMORY : end.exit();
        var part = step.withEnded(position, status);
        var changed =
                job.withSteps(part.isEnded() ? job.steps().without(part) : job.steps().with(part));
        tables.put(changed);
        tables.tell(new Event.StepEndedOn(changed, part, report.node(), end));
        if (part.isEnded()) {
            tables.tell(new Event.StepFinished(changed, part));
        }
        if (step.id().equals(StepId.BATCH)) {
            batchEnded(changed, report.node(), end);
        }
        return Result.DONE;
    }

    /// The script decides how the job ends, unless that is decided already.
    private void batchEnded(Job job, String node, StepEnd end) {
        switch (job.phase()) {
            case JobPhase.Running _, JobPhase.Suspended _ -> {
                if (end.lost()) {
                    lifecycle.lostNode(job, node);
                } else {
                    lifecycle.complete(
                            job, JobLifecycle.outcomeOf(end), JobPhase.AfterCompletion.END);
                }
            }
            case JobPhase.Completing phase -> {
                if (endedUnheard(phase, end)) {
                    tables.put(job.with(phase.withEnd(JobLifecycle.outcomeOf(end), phase.next())));
                }
            }
            case JobPhase.Pending _, JobPhase.Ended _ -> {}
        }
    }

    /// The controller stepped in at the time limit because it heard nothing of a script that had
    /// ended by itself.
    private static boolean endedUnheard(JobPhase.Completing phase, StepEnd end) {
        return phase.outcome().state() == JobState.TIMEOUT
                && !end.lost()
                && end.endedAt().isBefore(phase.endedAt());
    }
}
