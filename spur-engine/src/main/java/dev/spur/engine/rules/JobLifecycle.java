package dev.spur.engine.rules;

import dev.spur.engine.admission.Admission;
import dev.spur.engine.array.ArrayLedger;
import dev.spur.engine.array.ArrayTasks;
import dev.spur.engine.dependency.Dependencies;
import dev.spur.engine.job.Deadline;
import dev.spur.engine.job.Hold;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.job.JobRun;
import dev.spur.engine.job.JobTerms;
import dev.spur.engine.job.Queueing;
import dev.spur.engine.job.Submission;
import dev.spur.engine.limit.Budgets;
import dev.spur.engine.limit.JobAmounts;
import dev.spur.engine.limit.LimitRules;
import dev.spur.engine.node.Node;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.LaunchFault;
import dev.spur.engine.step.Step;
import dev.spur.engine.step.StepEnd;
import dev.spur.engine.step.Steps;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.ExitStatus;
import dev.spur.model.IndexSet;
import dev.spur.model.JobId;
import dev.spur.model.JobSpec;
import dev.spur.model.JobState;
import dev.spur.model.NodeShare;
import dev.spur.model.Outcome;
import dev.spur.model.PendingReason;
import dev.spur.model.Placement;
import dev.spur.model.Reason;
import dev.spur.model.Role;
import dev.spur.model.StepId;
import dev.spur.model.notation.Signal;
import dev.spur.model.notation.Text;
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

    JobLifecycle(Tables tables, JobArrays arrays) {
        this.tables = tables;
        this.arrays = arrays;
        // The end of a job changes those that wait for it, which may end them too.
        dependencies = new DependencyRules(tables, arrays, this::end);
    }

    Result submit(Command.SubmitJob command) {
        return switch (Admission.admit(tables, command.actor(), command.spec(), tables.now)) {
            case Admission.Refused(var code, var message) -> new Result.Refused(code, message);
            case Admission.Admitted admitted -> accept(command, admitted);
        };
    }

    private Result accept(Command.SubmitJob command, Admission.Admitted admitted) {
        if (tables.isFull()) {
            return new Result.Refused(
                    ErrorCode.TOO_MANY_JOBS,
                    Text.of(
                            "the cluster holds %d jobs, its maximum. Wait until some have ended and try again",
                            tables.jobs.size()));
        }
        var obstacle =
                command.actor().role().atLeast(Role.OPERATOR)
                        ? null
                        : tables.index
                                .holdings()
                                .obstacle(command, tables.config.rules().maxJobCount());
        if (obstacle != null) {
            return new Result.Refused(ErrorCode.LIMIT_REACHED, obstacle);
        }
        var spec = command.spec();
        var tasks = admitted.tasks();
        var limit = enteringLimit(spec, admitted.terms(), tasks == null ? 1 : tasks.count());
        if (limit != null) {
            return new Result.Refused(ErrorCode.LIMIT_REACHED, limit.toString());
        }
        var id = tables.newJobId();
        var standing = tables.newStanding(given(spec, command.actor()));
        var held = spec.hold() || spec.priority() != null && spec.priority() == 0;
        var hold =
                !held
                        ? Hold.NONE
                        : command.actor().uid() == spec.owner().uid() ? Hold.USER : Hold.ADMIN;
        var begin = spec.begin() != null && spec.begin().isAfter(tables.now) ? spec.begin() : null;
        var job =
                tables.parts.share(
                        new Job(
                                id,
                                new Submission(
                                        tables.now, spec, command.script(), command.environment()),
                                admitted.terms(),
                                tasks == null ? null : new ArrayTasks(id, tasks, false),
                                new Queueing(
                                        standing,
                                        hold,
                                        Dependencies.parse(spec.dependency()),
                                        begin,
                                        null),
                                JobRun.first(new JobPhase.Pending(Reason.NONE))));
        if (tasks != null) {
            tables.put(ArrayLedger.of(id, tasks));
        }
        tables.put(job, new Event.JobSubmitted(job));
        dependencies.reconsider(job);
        tables.forgetTheOldest();
        return new Result.Submitted(id, admitted.warnings());
    }

    /// The limit of an association or a QOS that keeps so many jobs out; null if none does.
    @Nullable Reason enteringLimit(JobSpec spec, JobTerms terms, int tasks) {
        var rules = new LimitRules(tables, tables.budgets, tables.now);
        return rules.areEnforced()
                ? rules.toEnter(
                        new LimitRules.Candidate(
                                terms.charge(),
                                spec.owner().userName(),
                                JobAmounts.requested(terms, tables),
                                null,
                                terms.timeLimit()),
                        tasks)
                : null;
    }

    /// The priority that was set by hand; null if none was.
    private @Nullable Long given(JobSpec spec, Actor actor) {
        if (spec.priority() == null || spec.priority() <= 0) {
            return null;
        }
        return actor.role().atLeast(Role.OPERATOR)
                ? spec.priority()
                : (Long) Math.min(spec.priority(), tables.config.rules().maxUserPriority());
    }

    Result start(List<Command.JobStart> starts) {
        var started = new ArrayList<JobId>();
        var ignored = new ArrayList<String>();
        for (var start : starts) {
            var job = tables.jobs.get(start.job().value());
            var obstacle =
                    job == null
                            ? Text.of("job %s is gone", start.job())
                            : StartCheck.obstacle(tables, job, start);
            if (job == null || obstacle != null) {
                ignored.add(String.valueOf(obstacle));
            } else {
                started.add(start(job, start).id());
            }
        }
        return new Result.Started(started, ignored);
    }

    private Job start(Job pending, Command.JobStart start) {
        var placement = start.placement();
        var next = arrays.takeNextTask(pending);
        var taken =
                start.reservation().equals(next.spec().reservation())
                        ? next
                        : next.inReservation(start.reservation());
        var planned = start.limit() == null ? taken.terms().timeLimit() : start.limit();
        var limit = Deadline.within(planned, taken, tables.now);
        var within =
                limit.equals(taken.terms().timeLimit())
                        ? taken
                        : taken.withTerms(taken.terms().withTimeLimit(limit));
        var charge =
                Budgets.chargeIn(
                        within.terms(),
                        within.spec().owner().userName(),
                        placement.partition(),
                        tables);
        var job =
                charge.equals(within.terms().charge())
                        ? within
                        : within.withTerms(within.terms().withCharge(charge));
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
        tables.nodesFailed |= !start.reservation().isEmpty();
        tables.put(running, new Event.JobStarted(running));
        arrays.started(running);
        dependencies.changed(running);
        return running;
    }

    private Step batchStep(Placement placement) {
        var node = new Step.StepNode(placement.first(), IndexSet.of(0));
        var cpus = placement.first().cpus().size();
        return new Step(
                StepId.BATCH,
                "batch",
                tables.now,
                null,
                new Step.Layout(List.of(node), 1, cpus, Step.Claims.NOTHING, "", ""),
                Step.Streams.AS_THE_JOB,
                Step.Progress.NONE);
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
        var cpusFree =
                job.phase() instanceof JobPhase.Suspended suspension && suspension.cpusFree();
        var remaining =
                placement.nodeNames().stream().filter(node -> !gone.contains(node)).toList();
        for (var share : job.phase().holdings()) {
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
                                suspended,
                                tables.now,
                                outcome,
                                next,
                                JobPhase.Cleaning.of(remaining, cpusFree)));
        tables.put(completing, new Event.JobCompleting(completing));
        arrays.left(completing);
        if (remaining.isEmpty()) {
            finish(completing);
        }
    }

    /// A node says that it is clean.
    Result gone(Command.JobGone report) {
        var job = tables.jobs.get(report.job().value());
        if (job == null || job.attempt() != report.attempt()) {
            return new Result.Ignored("the report is about an attempt that is over");
        }
        return gone(job, report.node());
    }

    Result gone(Job job, String node) {
        if (!(job.phase() instanceof JobPhase.Completing phase)) {
            return new Result.Ignored(Text.of("job %s is not completing", job.id()));
        }
        gone(job, phase, node);
        return Result.DONE;
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
        tables.note(left);
        if (remaining.isEmpty()) {
            finish(left);
        }
    }

    private void finish(Job job) {
        if (!(job.phase() instanceof JobPhase.Completing phase)) {
            return;
        }
        // Nobody will say any more how these ended.
        for (var step : job.steps().live()) {
            tables.put(job, new Event.StepFinished(job, step));
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
            case REQUEUE, REQUEUE_HELD, REQUEUE_SPECIAL_EXIT ->
                    requeue(job, phase.next().holdOf(job));
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
        tables.put(ended, new Event.JobEnded(ended));
        arrays.ended(ended, outcome);
        dependencies.changed(ended);
    }

    /// See [DependencyRules#reconsider].
    void reconsider(Job job) {
        dependencies.reconsider(job);
    }

    /// See [DependencyRules#leftName].
    void leftName(Job before) {
        dependencies.leftName(before);
    }

    /// Puts a job back into the queue, as its next attempt.
    void requeue(Job over, Hold wanted) {
        var job = withoutFormerReservations(over);
        var isLate = job.spec().reservation().isEmpty() && !over.spec().reservation().isEmpty();
        var hold = isLate && wanted == Hold.NONE ? Hold.RESERVATION : wanted;
        var failures = job.attempts().launchFailures();
        var pause = failures == 0 ? null : tables.now.plus(backoff(failures));
        var queueing =
                new Queueing(job.queueing().standing(), hold, Dependencies.NONE, pause, null);
        var pending =
                job.with(new JobPhase.Pending(Reason.NONE))
                        .withAttempts(
                                failures == 0
                                        ? job.attempts().next()
                                        : job.attempts().nextAfterFailedLaunch())
                        .withQueueing(queueing)
                        .withSteps(Steps.NONE);
        var before = job.phase();
        tables.put(pending, new Event.JobRequeued(pending));
        if (before instanceof JobPhase.Ended ended) {
            arrays.revived(pending, ended.outcome());
        }
        dependencies.reconsider(pending);
    }

    /// One that went while it ran would keep it waiting for ever: it is held, as those are that
    /// waited for it then.
    private Job withoutFormerReservations(Job job) {
        var named = Reservations.named(job.spec().reservation());
        var there =
                named.stream().filter(name -> tables.reservations.find(name).isPresent()).toList();
        return there.size() == named.size() ? job : job.inReservation(String.join(",", there));
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
        if (command.fault() == LaunchFault.NODE) {
            drain(command.node(), command.reason());
        }
        if (!(job.phase() instanceof JobPhase.Running) || !command.step().equals(StepId.BATCH)) {
            return command.fault() == LaunchFault.NODE
                    ? Result.DONE
                    : new Result.Ignored(Text.of("job %s is not being launched", job.id()));
        }
        switch (command.fault()) {
            case LAUNCH ->
                    complete(job, impossible(command.reason()), JobPhase.AfterCompletion.END);
            case NODE, PASSING -> launchAgain(job, command.fault());
        }
        return Result.DONE;
    }

    /// The reason is a word of a line of words.
    private static Outcome impossible(String why) {
        var detail = why.isEmpty() ? "" : ":" + why.replace(' ', '_').replaceAll("\\p{Cntrl}", "?");
        return new Outcome(
                JobState.FAILED,
                new ExitStatus(1, 0),
                new Reason(PendingReason.LAUNCH_FAILED, detail),
                -1);
    }

    private void launchAgain(Job job, LaunchFault fault) {
        var attempts = job.attempts().withFailedLaunch();
        var hold =
                fault == LaunchFault.NODE && tables.config.rules().holdOnPrologFailure()
                        ? job.queueing().hold().orIfFree(Hold.LAUNCH)
                        : attempts.launchFailures() >= tables.config.rules().maxRequeues()
                                ? job.queueing().hold().orIfFree(Hold.REQUEUES)
                                : job.queueing().hold();
        var failed = job.withAttempts(attempts).withQueueing(job.queueing().withHold(hold));
        complete(
                failed,
                Outcome.of(JobState.FAILED, new ExitStatus(1, 0), PendingReason.LAUNCH_FAILED),
                failed.terms().requeue()
                        ? JobPhase.AfterCompletion.REQUEUE
                        : JobPhase.AfterCompletion.END);
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
        if (!tables.mayManage(command.actor(), job)) {
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
                            ErrorCode.ALREADY_DONE, Text.of("job %s is already over", job.id()));
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
            return Outcome.of(JobState.TIMEOUT, end.exit(), PendingReason.TIME_LIMIT);
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
                ? Text.of(":%d(%s)", exit.signal(), new Signal(exit.signal()).description())
                : Text.of(":%d", exit.signal());
    }

    /// @param cpusFree others may have its CPUs from now on
    void suspend(Job job, JobPhase.Running running, boolean cpusFree) {
        if (cpusFree) {
            running.placement().nodes().forEach(tables::freeCpus);
        }
        var suspended =
                job.with(
                        new JobPhase.Suspended(
                                running.placement(),
                                running.since(),
                                running.deadline(),
                                running.suspended(),
                                tables.now,
                                cpusFree));
        tables.put(suspended, new Event.JobSuspended(suspended));
    }

    /// Where others have its CPUs; empty: nowhere, it can go on.
    List<String> lackingCpus(JobPhase.Suspended suspended) {
        return suspended.cpusFree()
                ? suspended.placement().nodes().stream()
                        .filter(tables::lacksCpus)
                        .map(NodeShare::node)
                        .toList()
                : List.of();
    }

    void resume(Job job, JobPhase.Suspended suspended) {
        if (suspended.cpusFree()) {
            suspended.placement().nodes().forEach(tables::takeCpus);
        }
        var pause = Duration.between(suspended.at(), tables.now);
        var resumed =
                job.with(
                        new JobPhase.Running(
                                suspended.placement(),
                                suspended.since(),
                                later(suspended.deadline(), pause),
                                suspended.suspended().plus(pause)));
        tables.put(resumed, new Event.JobResumed(resumed));
    }

    private static @Nullable Instant later(@Nullable Instant deadline, Duration pause) {
        return deadline == null ? null : deadline.plus(pause);
    }
}
