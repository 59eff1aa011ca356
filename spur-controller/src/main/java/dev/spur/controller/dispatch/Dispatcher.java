package dev.spur.controller.dispatch;

import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobActionResult;
import dev.spur.api.v1.SignalStep;
import dev.spur.api.v1.SignalTarget;
import dev.spur.api.v1.TerminateCause;
import dev.spur.api.v1.TerminateJob;
import dev.spur.api.v1.UpdateTimeLimit;
import dev.spur.controller.access.Caller;
import dev.spur.controller.agent.Agents;
import dev.spur.controller.job.JobActions;
import dev.spur.controller.job.JobSignals;
import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.JobsByNode;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Job;
import dev.spur.engine.state.JobPhase;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.state.Step;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import dev.spur.model.StepId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells agents what the state says they should do. Events say it at once; an agent that connects
/// is told everything that the state says about its node, so nothing depends on a message having
/// arrived.
public final class Dispatcher implements LeaderTask, EventFeed.Listener, JobSignals {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    private static final int STOP = 19;
    private static final int CONT = 18;

    private final ReplicatedState state;
    private final EventFeed feed;
    private final Agents agents;
    private final Launches launches;
    private final JobsByNode jobsByNode;
    private final Proposals proposals;
    private final Supplier<Leadership> leadership;
    private final InstantSource clock;

    public Dispatcher(
            ReplicatedState state,
            EventFeed feed,
            Agents agents,
            Launches launches,
            JobsByNode jobsByNode,
            Proposals proposals,
            Supplier<Leadership> leadership,
            InstantSource clock) {
        this.state = state;
        this.feed = feed;
        this.agents = agents;
        this.launches = launches;
        this.jobsByNode = jobsByNode;
        this.proposals = proposals;
        this.leadership = leadership;
        this.clock = clock;
    }

    @Override
    public AutoCloseable lead(long epoch) {
        agents.onRegistered(this::registered);
        feed.subscribe(this);
        return () -> feed.unsubscribe(this);
    }

    @Override
    public void changed(List<Event> events) {
        for (var event : events) {
            switch (event) {
                case Event.JobStarted(var job) -> launch(job);
                case Event.JobCompleting(var job) -> terminate(job);
                case Event.StepCancelled(var job, var step) -> terminate(job, step);
                case Event.JobChanged(var job) -> updateLimit(job);
                case Event.JobSuspended(var job) -> signalAll(job, STOP);
                case Event.JobResumed(var job) -> signalAll(job, CONT);
                case Event.JobSubmitted _,
                        Event.JobEnded _,
                        Event.JobRequeued _,
                        Event.JobForgotten _,
                        Event.StepCreated _,
                        Event.StepEndedOn _,
                        Event.StepFinished _,
                        Event.NodeChanged _,
                        Event.ConfigApplied _,
                        Event.CredentialsChanged _ -> {}
            }
        }
    }

    /// Everything is said again: agents know what they have done already.
    @Override
    public void resync(Snapshot snapshot) {
        for (var job : snapshot.jobs()) {
            switch (job.phase()) {
                case JobPhase.Running _ -> launch(job);
                case JobPhase.Completing _ -> terminate(job);
                case JobPhase.Pending _, JobPhase.Suspended _, JobPhase.Ended _ -> {}
            }
        }
    }

    private void registered(String node, Set<JobId> present) {
        var snapshot = state.snapshot();
        for (var id : jobsByNode.on(node)) {
            snapshot.job(id)
                    .ifPresent(job -> {
                        switch (job.phase()) {
                            case JobPhase.Running _ -> {
                                if (!present.contains(id)) {
                                    launch(job);
                                }
                            }
                            case JobPhase.Completing completing -> {
                                if (completing.remaining().contains(node)) {
                                    terminate(job, node, null);
                                }
                            }
                            case JobPhase.Pending _, JobPhase.Suspended _, JobPhase.Ended _ -> {}
                        }
                    });
        }
    }

    private void launch(Job job) {
        var placement = job.phase().placementOrNull();
        if (placement != null && needsLaunch(job)) {
            agents.send(placement.first().node(), () -> launchMessage(job.id(), job.attempt()));
        }
    }

    private static boolean needsLaunch(Job job) {
        return job.spec().isBatch()
                && job.phase() instanceof JobPhase.Running
                && job.steps()
                        .find(StepId.BATCH)
                        .filter(step -> step.startedOn().isEmpty())
                        .isPresent();
    }

    /// Made when it is sent, from the state as it is then: what was cancelled meanwhile is not
    /// launched.
    private Optional<ControllerMessage.Builder> launchMessage(JobId id, int attempt) {
        var snapshot = state.snapshot();
        var job =
                snapshot.job(id)
                        .filter(current -> current.attempt() == attempt && needsLaunch(current));
        if (job.isEmpty() || !(leadership.get() instanceof Leadership.Leading(var epoch))) {
            return Optional.empty();
        }
        var placement = Objects.requireNonNull(job.get().phase().placementOrNull());
        var step = job.get().steps().find(StepId.BATCH).orElseThrow();
        try {
            var launch = launches.batch(job.get(), placement, step, snapshot, epoch);
            return Optional.of(ControllerMessage.newBuilder().setLaunch(launch));
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("job", id).setCause(e).log("job cannot be launched");
            proposals.note(at ->
                    new Command.LaunchFailed(
                            at,
                            id,
                            attempt,
                            StepId.BATCH,
                            placement.first().node(),
                            "" + e.getMessage(),
                            false));
            return Optional.empty();
        }
    }

    private void terminate(Job job) {
        if (job.phase() instanceof JobPhase.Completing completing) {
            completing.remaining().forEach(node -> terminate(job, node, null));
        }
    }

    private void terminate(Job job, Step step) {
        step.nodeNames().forEach(node -> terminate(job, node, step.id()));
    }

    private void terminate(Job job, String node, @Nullable StepId step) {
        var killWait = (int) state.snapshot().config().killWait().toSeconds();
        var terminate =
                TerminateJob.newBuilder()
                        .setJobId(job.id().value())
                        .setAttempt(job.attempt())
                        .setCause(step == null ? cause(job) : TerminateCause.TERMINATE_CANCELLED)
                        .setKillWaitSeconds(killWait);
        if (step != null) {
            terminate.setStepId(step.value());
        }
        var message = terminate.build();
        agents.send(node, () -> Optional.of(ControllerMessage.newBuilder().setTerminate(message)));
    }

    private static TerminateCause cause(Job job) {
        if (!(job.phase() instanceof JobPhase.Completing completing)) {
            return TerminateCause.TERMINATE_CANCELLED;
        }
        var state = completing.outcome().state();
        if (completing.next() != JobPhase.AfterCompletion.END && state != JobState.NODE_FAIL) {
            return TerminateCause.TERMINATE_REQUEUE;
        }
        return switch (state) {
            case CANCELLED -> TerminateCause.TERMINATE_CANCELLED;
            case TIMEOUT, DEADLINE -> TerminateCause.TERMINATE_TIME_LIMIT;
            case NODE_FAIL, BOOT_FAIL -> TerminateCause.TERMINATE_NODE_FAIL;
            case PREEMPTED -> TerminateCause.TERMINATE_PREEMPTED;
            default -> TerminateCause.TERMINATE_COMPLETED;
        };
    }

    /// Nodes keep the limit by their own clock, so each hears what remains when it is told.
    private void updateLimit(Job job) {
        if (!(job.phase() instanceof JobPhase.Running running)) {
            return;
        }
        for (var node : running.placement().nodeNames()) {
            agents.send(
                    node,
                    () ->
                            Optional.of(
                                    ControllerMessage.newBuilder()
                                            .setTimeLimit(
                                                    UpdateTimeLimit.newBuilder()
                                                            .setJobId(job.id().value())
                                                            .setAttempt(job.attempt())
                                                            .setUnlimited(
                                                                    running.deadline() == null)
                                                            .setRemainingSeconds(
                                                                    remaining(
                                                                            running.deadline())))));
        }
    }

    private long remaining(@Nullable Instant deadline) {
        return deadline == null
                ? -1
                : Math.max(0, Duration.between(clock.instant(), deadline).toSeconds());
    }

    private void signalAll(Job job, int signal) {
        var placement = job.phase().placementOrNull();
        if (placement != null) {
            placement
                    .nodeNames()
                    .forEach(node ->
                            signal(job, node, null, signal, SignalTarget.SIGNAL_TARGET_FULL));
        }
    }

    private void signal(
            Job job, String node, @Nullable StepId step, int signal, SignalTarget target) {
        var message =
                SignalStep.newBuilder()
                        .setJobId(job.id().value())
                        .setAttempt(job.attempt())
                        .setSignal(signal)
                        .setTarget(target);
        if (step != null) {
            message.setStepId(step.value());
        }
        var built = message.build();
        agents.send(node, () -> Optional.of(ControllerMessage.newBuilder().setSignal(built)));
    }

    @Override
    public JobActionResult send(
            JobActions.Target target, int signal, SignalTarget to, Caller.Person caller) {
        var snapshot = state.snapshot();
        var selector = target.selector();
        var jobs =
                snapshot.jobs().stream().filter(job -> JobActions.isMeant(selector, job)).toList();
        if (jobs.isEmpty()) {
            return result(target, JobActionOutcome.JOB_ACTION_NOT_FOUND, ErrorCode.INVALID_JOB);
        }
        if (jobs.stream().anyMatch(job -> !caller.actor().mayManage(job.spec().owner().uid()))) {
            return result(target, JobActionOutcome.JOB_ACTION_DENIED, ErrorCode.ACCESS_DENIED);
        }
        var active = jobs.stream().filter(Job::hasNodes).toList();
        if (active.isEmpty()) {
            return jobs.stream().allMatch(Job::isEnded)
                    ? result(
                            target,
                            JobActionOutcome.JOB_ACTION_ALREADY_ENDED,
                            ErrorCode.ALREADY_DONE)
                    : result(target, JobActionOutcome.JOB_ACTION_REFUSED, ErrorCode.JOB_PENDING);
        }
        for (var job : active) {
            var placement = job.phase().placementOrNull();
            if (placement != null) {
                placement
                        .nodeNames()
                        .forEach(node -> signal(job, node, selector.step(), signal, to));
            }
        }
        return result(target, JobActionOutcome.JOB_ACTION_DONE, ErrorCode.INVALID_JOB);
    }

    private static JobActionResult result(
            JobActions.Target target, JobActionOutcome outcome, ErrorCode code) {
        var done = outcome == JobActionOutcome.JOB_ACTION_DONE;
        return JobActionResult.newBuilder()
                .setId(target.text())
                .setOutcome(outcome)
                .setMessage(done ? "" : code.text())
                .setSlurmErrno(done ? 0 : code.slurmErrno())
                .build();
    }
}
