package dev.spur.engine.state;

import dev.spur.engine.admission.Admission;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.ExitStatus;
import dev.spur.model.IndexSet;
import dev.spur.model.JobId;
import dev.spur.model.JobSpec;
import dev.spur.model.JobState;
import dev.spur.model.Outcome;
import dev.spur.model.PendingReason;
import dev.spur.model.Placement;
import dev.spur.model.Reason;
import dev.spur.model.Role;
import dev.spur.model.StepId;
import dev.spur.model.notation.Signal;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How jobs come, start and end. The drawing is at [JobPhase].
final class JobLifecycle {
    private final Tables tables;
    private final JobArrays arrays;
    private final DependencyRules dependencies;

    JobLifecycle(Tables tables, JobArrays arrays, DependencyRules dependencies) {
        this.tables = tables;
        this.arrays = arrays;
        this.dependencies = dependencies;
    }

    Result submit(Command.SubmitJob command) {
        return switch (Admission.admit(tables, command.actor(), command.spec(), tables.now)) {
            case Admission.Refused(var code, var message) -> new Result.Refused(code, message);
            case Admission.Admitted admitted -> accept(command, admitted);
        };
    }

    private Result accept(Command.SubmitJob command, Admission.Admitted admitted) {
        if (tables.jobs.size() >= tables.config.rules().maxJobCount()) {
            return new Result.Refused(
                    ErrorCode.TOO_MANY_JOBS,
                    "the cluster holds %d jobs, its maximum. Wait until some have ended and try again"
                            .formatted(tables.jobs.size()));
        }
        var spec = command.spec();
        var id = tables.newJobId();
        var tasks = admitted.tasks();
        var priority = priority(spec, command.actor());
        var held = spec.hold() || spec.priority() != null && spec.priority() == 0;
        var hold =
                !held
                        ? Hold.NONE
                        : command.actor().uid() == spec.owner().uid() ? Hold.USER : Hold.ADMIN;
        var begin = spec.begin() != null && spec.begin().isAfter(tables.now) ? spec.begin() : null;
        var job =
                new Job(
                        id,
                        tables.now,
                        spec,
                        admitted.terms(),
                        tasks == null ? null : new ArrayTasks(id, tasks, false),
                        command.script(),
                        command.environment(),
                        new Queueing(
                                priority, hold, dependencies.of(spec.dependency()), begin, null),
                        Attempts.FIRST,
                        JobPhase.Pending.because(Reason.NONE),
                        Steps.NONE);
        if (tasks != null) {
            tables.put(ArrayLedger.of(id, tasks));
        }
        tables.put(job);
        tables.tell(new Event.JobSubmitted(job));
        dependencies.reconsider(job);
        return new Result.Submitted(id, admitted.warnings());
    }

    /// Set by hand, or in the order of submission; a nice job steps back.
    private long priority(JobSpec spec, Actor actor) {
        if (spec.priority() == null || spec.priority() <= 0) {
            return Math.max(1, tables.newPriority() - spec.nice());
        }
        return actor.role().atLeast(Role.OPERATOR)
                ? spec.priority()
                : Math.min(spec.priority(), tables.config.rules().maxUserPriority());
    }

    Result start(List<Command.JobStart> starts) {
        var started = new ArrayList<JobId>();
        var ignored = new ArrayList<String>();
        for (var start : starts) {
            var job = tables.jobs.get(start.job().value());
            var obstacle =
                    job == null
                            ? "job %s is gone".formatted(start.job())
                            : StartCheck.obstacle(tables, job, start.placement());
            if (job == null || obstacle != null) {
                ignored.add(String.valueOf(obstacle));
            } else {
                started.add(start(job, start.placement()).id());
            }
        }
        return new Result.Started(started, ignored);
    }

    private Job start(Job pending, Placement placement) {
        var job = arrays.takeNextTask(pending);
        var limit = job.terms().timeLimit();
        var deadline =
                limit instanceof TimeLimit.Limited limited
                        ? tables.now.plus(limited.duration())
                        : null;
        var running =
                job.with(new JobPhase.Running(placement, tables.now, deadline, Duration.ZERO))
                        .withSteps(
                                job.spec().isBatch()
                                        ? job.steps().with(batchStep(placement))
                                        : job.steps());
        placement.nodes().forEach(tables::occupy);
        tables.put(running);
        arrays.started(running);
        tables.tell(new Event.JobStarted(running));
        dependencies.changed(running);
        return running;
    }

    private Step batchStep(Placement placement) {
        var node = new Step.StepNode(placement.first(), IndexSet.of(0));
        return new Step(
                StepId.BATCH,
                "batch",
                List.of(node),
                1,
                placement.first().cpus().size(),
                tables.now,
                null,
                Step.Claims.NOTHING,
                "",
                IndexSet.EMPTY,
                IndexSet.EMPTY,
                ExitStatus.SUCCESS,
                false,
                "",
                "",
                "",
                "");
    }

    /// The job is over: its nodes have to say that they are clean, then it ends or waits again.
    void complete(Job job, Outcome outcome, JobPhase.AfterCompletion next) {
        complete(job, outcome, next, List.of());
    }

    /// @param gone nodes that have nothing of it any more
    void complete(Job job, Outcome outcome, JobPhase.AfterCompletion next, List<String> gone) {
        var placement = job.phase().placementOrNull();
        var since = job.phase().startedAt();
        if (placement == null || since == null) {
            end(job, outcome);
            return;
        }
        var suspended =
                switch (job.phase()) {
                    case JobPhase.Running running -> running.suspended();
                    case JobPhase.Suspended suspension ->
                            suspension
                                    .suspended()
                                    .plus(Duration.between(suspension.at(), tables.now));
                    case JobPhase.Pending _, JobPhase.Completing _, JobPhase.Ended _ ->
                            Duration.ZERO;
                };
        var remaining =
                placement.nodeNames().stream().filter(node -> !gone.contains(node)).toList();
        for (var share : placement.nodes()) {
            if (gone.contains(share.node())) {
                tables.vacate(share, false);
            } else {
                tables.node(share.node())
                        .ifPresent(node ->
                                tables.put(
                                        node.withUsage(
                                                node.usage().withCompleting(1), tables.now)));
            }
        }
        var completing =
                job.with(
                        new JobPhase.Completing(
                                placement,
                                since,
                                tables.now,
                                outcome,
                                next,
                                remaining,
                                suspended,
                                false,
                                null));
        tables.put(completing);
        arrays.left(completing);
        tables.tell(new Event.JobCompleting(completing));
        if (remaining.isEmpty()) {
            finish(completing);
        }
    }

    /// A node is clean.
    void gone(Job job, JobPhase.Completing phase, String node) {
        var share = JobIndex.shareOn(job, node);
        if (share == null) {
            return;
        }
        tables.vacate(share, true);
        var remaining = phase.remaining().stream().filter(name -> !name.equals(node)).toList();
        var left = job.with(phase.withRemaining(remaining));
        tables.put(left);
        if (remaining.isEmpty()) {
            finish(left);
        }
    }

    private void finish(Job job) {
        if (!(job.phase() instanceof JobPhase.Completing phase)) {
            return;
        }
        switch (phase.next()) {
            case END -> {
                var ended =
                        job.with(
                                        new JobPhase.Ended(
                                                phase.outcome(),
                                                phase.placement(),
                                                phase.since(),
                                                phase.endedAt(),
                                                phase.suspended(),
                                                tables.now))
                                .withSteps(job.steps().withoutLive());
                settle(ended, phase.outcome());
            }
            case REQUEUE -> requeue(job, job.queueing().hold());
            case REQUEUE_HELD ->
                    requeue(job, job.queueing().isHeld() ? job.queueing().hold() : Hold.USER);
        }
    }

    /// Ends a job that has no nodes.
    void end(Job job, Outcome outcome) {
        settle(
                job.with(
                        new JobPhase.Ended(
                                outcome, null, null, tables.now, Duration.ZERO, tables.now)),
                outcome);
    }

    private void settle(Job ended, Outcome outcome) {
        tables.put(ended);
        arrays.ended(ended, outcome);
        tables.tell(new Event.JobEnded(ended));
        dependencies.changed(ended);
    }

    /// Puts a job back into the queue, as its next attempt.
    void requeue(Job job, Hold hold) {
        var failures = job.attempts().launchFailures();
        var pause = failures == 0 ? null : tables.now.plus(backoff(failures));
        var queueing =
                new Queueing(job.queueing().priority(), hold, Dependencies.NONE, pause, null);
        var pending =
                job.with(JobPhase.Pending.because(Reason.NONE))
                        .withAttempts(
                                failures == 0
                                        ? job.attempts().next()
                                        : job.attempts().nextAfterFailedLaunch())
                        .withQueueing(queueing)
                        .withSteps(Steps.NONE);
        var before = job.phase();
        tables.put(pending);
        if (before instanceof JobPhase.Ended ended) {
            arrays.revived(pending, ended.outcome());
        }
        tables.tell(new Event.JobRequeued(pending));
        dependencies.reconsider(pending);
    }

    private Duration backoff(int failures) {
        var rules = tables.config.rules();
        var pause = rules.launchBackoff().multipliedBy(1L << Math.min(failures - 1, 20));
        return pause.compareTo(rules.maxLaunchBackoff()) > 0 ? rules.maxLaunchBackoff() : pause;
    }

    /// The batch script could not be started.
    Result launchFailed(Command.LaunchFailed command) {
        var job = tables.jobs.get(command.job().value());
        if (job == null || job.attempt() != command.attempt()) {
            return new Result.Ignored("the report is about an attempt that is over");
        }
        if (command.nodeIsBad()) {
            drain(command.node(), command.reason());
        }
        if (!(job.phase() instanceof JobPhase.Running) || !command.step().equals(StepId.BATCH)) {
            return command.nodeIsBad()
                    ? Result.DONE
                    : new Result.Ignored("job %s is not being launched".formatted(job.id()));
        }
        var failures = job.attempts().launchFailures() + 1;
        var attempts = new Attempts(job.attempts().current(), job.attempts().restarts(), failures);
        var hold =
                command.nodeIsBad() && tables.config.rules().holdOnPrologFailure()
                        ? Hold.LAUNCH
                        : failures >= tables.config.rules().maxRequeues()
                                ? Hold.REQUEUES
                                : job.queueing().hold();
        var failed = job.withAttempts(attempts).withQueueing(job.queueing().withHold(hold));
        complete(
                failed,
                Outcome.of(JobState.FAILED, new ExitStatus(1, 0), PendingReason.LAUNCH_FAILED),
                failed.terms().requeue()
                        ? JobPhase.AfterCompletion.REQUEUE
                        : JobPhase.AfterCompletion.END);
        return Result.DONE;
    }

    private void drain(String name, String reason) {
        tables.node(name)
                .filter(node -> !node.draining())
                .ifPresent(node ->
                        tables.put(
                                node.withDraining(
                                        true, new Node.NodeNote(reason, "spur", 0, tables.now))));
    }

    /// One of its nodes failed: nothing of the job is left there.
    void lostNode(Job job, String node) {
        if (job.phase() instanceof JobPhase.Completing phase) {
            gone(job, phase, node);
            return;
        }
        failedByNode(job, List.of(node));
    }

    /// It runs again, if it may.
    ///
    /// @param gone nodes that have nothing of it any more
    void failedByNode(Job job, List<String> gone) {
        var again = job.terms().requeue() && job.spec().isBatch();
        complete(
                job,
                Outcome.of(JobState.NODE_FAIL, ExitStatus.SUCCESS, PendingReason.NODE_DOWN),
                again ? JobPhase.AfterCompletion.REQUEUE : JobPhase.AfterCompletion.END,
                gone);
    }

    Result finishAllocation(Command.FinishAllocation command) {
        var job = tables.jobs.get(command.job().value());
        if (job == null) {
            return Result.Refused.of(ErrorCode.INVALID_JOB);
        }
        if (!command.actor().mayManage(job.spec().owner().uid())) {
            return Result.Refused.of(ErrorCode.ACCESS_DENIED);
        }
        return switch (job.phase()) {
            case JobPhase.Pending _ -> {
                end(job, Outcome.cancelledBy(command.actor().uid()));
                yield Result.DONE;
            }
            case JobPhase.Running _, JobPhase.Suspended _ -> {
                complete(job, outcomeOf(command.exit()), JobPhase.AfterCompletion.END);
                yield Result.DONE;
            }
            case JobPhase.Completing _, JobPhase.Ended _ ->
                    new Result.Refused(
                            ErrorCode.ALREADY_DONE, "job %s is already over".formatted(job.id()));
        };
    }

    static Outcome outcomeOf(ExitStatus exit) {
        if (exit.isSuccess()) {
            return Outcome.COMPLETED;
        }
        return exit.signal() == 0
                ? Outcome.of(JobState.FAILED, exit, PendingReason.NON_ZERO_EXIT)
                : new Outcome(
                        JobState.FAILED,
                        exit,
                        new Reason(PendingReason.RAISED_SIGNAL, signalText(exit)),
                        -1);
    }

    static Outcome outcomeOf(StepEnd end) {
        if (end.timedOut()) {
            return Outcome.of(JobState.TIMEOUT, new ExitStatus(0, 0), PendingReason.TIME_LIMIT);
        }
        if (end.outOfMemory()) {
            return Outcome.of(
                    JobState.OUT_OF_MEMORY, ExitStatus.OUT_OF_MEMORY, PendingReason.OUT_OF_MEMORY);
        }
        return outcomeOf(end.exit());
    }

    /// `:9(Killed)`
    private static String signalText(ExitStatus exit) {
        return exit.signal() > 0 && exit.signal() <= 64
                ? ":%d(%s)".formatted(exit.signal(), new Signal(exit.signal()).description())
                : ":%d".formatted(exit.signal());
    }

    void suspend(Job job, JobPhase.Running running) {
        var suspended =
                job.with(
                        new JobPhase.Suspended(
                                running.placement(),
                                running.since(),
                                running.deadline(),
                                running.suspended(),
                                tables.now));
        tables.put(suspended);
        tables.tell(new Event.JobSuspended(suspended));
    }

    void resume(Job job, JobPhase.Suspended suspended) {
        var pause = Duration.between(suspended.at(), tables.now);
        var resumed =
                job.with(
                        new JobPhase.Running(
                                suspended.placement(),
                                suspended.since(),
                                later(suspended.deadline(), pause),
                                suspended.suspended().plus(pause)));
        tables.put(resumed);
        tables.tell(new Event.JobResumed(resumed));
    }

    private static @Nullable Instant later(@Nullable Instant deadline, Duration pause) {
        return deadline == null ? null : deadline.plus(pause);
    }
}
