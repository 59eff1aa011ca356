package dev.spur.controller.dispatch;

import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.JobTerms;
import dev.spur.api.v1.RunningJob;
import dev.spur.api.v1.TerminateCause;
import dev.spur.api.v1.TerminateJob;
import dev.spur.controller.agent.Agents;
import dev.spur.controller.agent.PendingMessage;
import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.JobsByNode;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.step.LaunchFault;
import dev.spur.model.BlobRef;
import dev.spur.model.JobId;
import dev.spur.model.StepId;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives the nodes their [Orders]: at once when something changes, and all of them again to an
/// agent that connects. So nothing depends on a message having arrived, nor on who led when it was
/// sent.
public final class Dispatcher implements LeaderTask, EventFeed.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private static final int LARGE = 256 << 10;

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
                // Nothing of it is anywhere that could hear more.
                case Event.JobStarted(var job) -> tell(job, Order.Launch.class::isInstance);
                case Event.JobCompleting(var job) -> tell(job, _ -> true);
                case Event.StepCancelled(var job, _) -> tell(job, Order.EndStep.class::isInstance);
                case Event.JobChanged(var job) -> tell(job, _ -> true);
                case Event.JobSuspended(var job) -> tell(job, _ -> true);
                case Event.JobResumed(var job) -> tell(job, _ -> true);
                case Event.JobSubmitted _,
                        Event.JobEnded _,
                        Event.JobRequeued _,
                        Event.JobForgotten _,
                        Event.StepCreated _,
                        Event.StepEndedOn _,
                        Event.StepFinished _,
                        Event.NodeChanged _,
                        Event.ConfigApplied _,
                        Event.AccountsChanged _,
                        Event.PartitionChanged _,
                        Event.PartitionRemoved _,
                        Event.ReservationChanged _,
                        Event.ReservationRemoved _,
                        Event.CredentialsChanged _,
                        Event.ArrayDivided _ -> {}
            }
        }
    }

    /// Everything is said again: agents know what they have done already.
    @Override
    public void resync(Snapshot snapshot) {
        snapshot.jobs().forEach(job -> tell(job, Order::makesRoom));
        snapshot.jobs().forEach(job -> tell(job, order -> !order.makesRoom()));
    }

    private void tell(Job job, Predicate<Order> which) {
        Orders.each(
                job,
                (node, order) -> {
                    if (which.test(order)) {
                        give(order, node);
                    }
                });
    }

    /// A script that the node has need not travel again.
    private void registered(String node, List<RunningJob> present) {
        var snapshot = state.snapshot();
        jobsByNode.on(node).stream()
                .flatMap(id -> snapshot.job(id).stream())
                .flatMap(job -> Orders.of(job, node).stream())
                .filter(order -> !(order instanceof Order.Launch launch && has(launch, present)))
                .sorted(Comparator.comparing(order -> !order.makesRoom()))
                .forEach(order -> give(order, node));
    }

    private static boolean has(Order.Launch launch, List<RunningJob> present) {
        return present.stream()
                .anyMatch(job ->
                        job.getJobId() == launch.job().value()
                                && job.getAttempt() == launch.attempt()
                                && job.getStepIdsList().contains(StepId.BATCH.value()));
    }

    private void give(Order order, String node) {
        agents.send(
                node,
                new PendingMessage() {
                    @Override
                    public Optional<ControllerMessage.Builder> make() {
                        return message(order);
                    }

                    @Override
                    public boolean isLarge() {
                        return Dispatcher.this.isLarge(order);
                    }
                });
    }

    private boolean isLarge(Order order) {
        return order instanceof Order.Launch launch
                && state.snapshot()
                        .job(launch.job())
                        .filter(job -> length(job.script()) + length(job.environment()) > LARGE)
                        .isPresent();
    }

    private static long length(@Nullable BlobRef blob) {
        return blob == null ? 0 : blob.length();
    }

    private Optional<ControllerMessage.Builder> message(Order order) {
        return switch (order) {
            case Order.Launch(var job, var attempt) -> launch(job, attempt);
            case Order.GoOn _, Order.StandStill _ -> terms(order);
            case Order.EndStep(_, _, var step) -> {
                var terminate = terminate(order, TerminateCause.TERMINATE_CANCELLED);
                yield Optional.of(
                        ControllerMessage.newBuilder()
                                .setTerminate(terminate.setStepId(step.value())));
            }
            case Order.End(_, _, var cause) ->
                    Optional.of(
                            ControllerMessage.newBuilder().setTerminate(terminate(order, cause)));
        };
    }

    /// As they are when they are sent: an agent that connects is told by another thread than the
    /// one that brings changes, and must not end up with what was true before.
    private Optional<ControllerMessage.Builder> terms(Order order) {
        return state.snapshot()
                .job(order.job())
                .filter(job -> job.attempt() == order.attempt())
                .flatMap(Orders::terms)
                .map(this::termsNow)
                .map(terms -> ControllerMessage.newBuilder().setTerms(terms));
    }

    /// Nodes keep the limit by their own clock, so each hears what remains when it is told.
    private JobTerms.Builder termsNow(Order now) {
        var standsStill = now instanceof Order.StandStill;
        var deadline = now instanceof Order.GoOn goOn ? goOn.deadline() : null;
        return JobTerms.newBuilder()
                .setJobId(now.job().value())
                .setAttempt(now.attempt())
                .setRemainingMillis(RemainingTime.millis(clock.instant(), deadline))
                .setSuspended(standsStill);
    }

    private TerminateJob.Builder terminate(Order order, TerminateCause cause) {
        return TerminateJob.newBuilder()
                .setJobId(order.job().value())
                .setAttempt(order.attempt())
                .setCause(cause)
                .setKillWaitSeconds((int) state.snapshot().config().killWait().toSeconds());
    }

    /// From the state as it is when it is sent: what was cancelled meanwhile is not launched.
    private Optional<ControllerMessage.Builder> launch(JobId id, int attempt) {
        var snapshot = state.snapshot();
        var job =
                snapshot.job(id)
                        .filter(current ->
                                current.attempt() == attempt && Orders.isToBeLaunched(current));
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
                            LaunchFault.PASSING));
            return Optional.empty();
        }
    }
}
