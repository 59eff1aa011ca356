package dev.spur.controller.state;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.node.Node;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.step.Step;
import dev.spur.engine.step.StepEnd;
import dev.spur.model.PendingReason;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes what happened into the process' log, from the events, so nothing is forgotten and nothing
/// is said twice.
public final class EventJournal implements EventFeed.Listener {
    private static final Logger LOG = LoggerFactory.getLogger("dev.spur.cluster");

    private final Map<String, String> nodeStates = new HashMap<>();

    @Override
    public void changed(List<Event> events) {
        for (var event : events) {
            switch (event) {
                case Event.JobSubmitted(var job) -> tell(job, "job submitted");
                case Event.JobStarted(var job) -> tell(job, "job started");
                case Event.JobEnded(var job) -> tell(job, "job ended");
                case Event.JobRequeued(var job) -> tell(job, "job requeued");
                case Event.NodeChanged(var node) -> tell(node);
                case Event.StepEndedOn(var job, var step, var node, var end) ->
                        tell(job, step, node, end);
                case Event.AccountsChanged(var actor, var news) ->
                        LOG.atInfo()
                                .addKeyValue("action", news.action())
                                .addKeyValue("by", actor.userName())
                                .addKeyValue("where", news.where())
                                .addKeyValue("set", news.info())
                                .log("accounts changed");
                case Event.ReservationChanged(var reservation) ->
                        tell(reservation, "reservation changed");
                case Event.ReservationRemoved(var reservation) ->
                        tell(reservation, "reservation is over");
                case Event.PartitionChanged(var partition) ->
                        LOG.atInfo()
                                .addKeyValue("partition", partition.name())
                                .addKeyValue("state", partition.spec().state())
                                .log("partition changed");
                case Event.PartitionRemoved(var name) ->
                        LOG.atInfo().addKeyValue("partition", name).log("partition removed");
                case Event.ConfigApplied() -> LOG.atInfo().log("configuration applied");
                case Event.JobChanged _,
                        Event.JobCompleting _,
                        Event.JobSuspended _,
                        Event.JobResumed _,
                        Event.JobForgotten _,
                        Event.StepCreated _,
                        Event.StepCancelled _,
                        Event.StepFinished _,
                        Event.CredentialsChanged _,
                        Event.ArrayDivided _ -> {}
            }
        }
    }

    @Override
    public void resync(Snapshot snapshot) {
        nodeStates.clear();
        snapshot.nodes().forEach(node -> nodeStates.put(node.name(), stateOf(node)));
    }

    private static void tell(Reservation reservation, String what) {
        LOG.atInfo()
                .addKeyValue("reservation", reservation.name())
                .addKeyValue("from", reservation.start())
                .addKeyValue("until", reservation.end())
                .addKeyValue("nodes", reservation.nodes().size())
                .log(what);
    }

    private static void tell(Job job, String what) {
        if (!LOG.isInfoEnabled()) {
            return;
        }
        var line =
                LOG.atInfo()
                        .addKeyValue("job", job.shownId())
                        .addKeyValue("user", job.spec().owner().userName())
                        .addKeyValue("state", job.state());
        var placement = job.phase().placementOrNull();
        if (placement != null) {
            line = line.addKeyValue("nodes", String.join(",", placement.nodeNames()));
        }
        if (job.phase() instanceof JobPhase.Ended ended) {
            var outcome = ended.outcome();
            line = line.addKeyValue("exit", outcome.exit());
            if (outcome.reason().code() != PendingReason.NONE) {
                line = line.addKeyValue("reason", outcome.reason());
            }
        }
        line.log(what);
    }

    /// What kept a step from running on a node.
    private static void tell(Job job, Step step, String node, StepEnd end) {
        if (!end.message().isEmpty()) {
            LOG.atInfo()
                    .addKeyValue("job", job.shownId())
                    .addKeyValue("step", step.id())
                    .addKeyValue("node", node)
                    .addKeyValue("exit", end.exit())
                    .addKeyValue("cause", end.message())
                    .log("step could not run");
        }
    }

    private void tell(Node node) {
        if (isNews(node)) {
            LOG.atInfo()
                    .addKeyValue("node", node.name())
                    .addKeyValue("state", stateOf(node))
                    .addKeyValue("reason", node.note().text())
                    .log("node changed");
        }
    }

    /// Only what an operator would act on: allocations change all the time, and that a node of the
    /// configuration is not there yet goes without saying.
    boolean isNews(Node node) {
        var now = stateOf(node);
        var before = nodeStates.put(node.name(), now);
        return !now.equals(before) && (before != null || node.report() != null);
    }

    private static String stateOf(Node node) {
        return node.health()
                + (node.draining() ? "+DRAIN" : "")
                + (node.responds() ? "" : "+NOT_RESPONDING");
    }
}
