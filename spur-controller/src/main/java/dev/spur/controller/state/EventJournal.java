package dev.spur.controller.state;

import dev.spur.engine.state.Event;
import dev.spur.engine.state.Job;
import dev.spur.engine.state.Node;
import dev.spur.engine.state.Snapshot;
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
                case Event.ConfigApplied() -> LOG.atInfo().log("configuration applied");
                case Event.JobChanged _,
                        Event.JobCompleting _,
                        Event.JobSuspended _,
                        Event.JobResumed _,
                        Event.JobForgotten _,
                        Event.StepCreated _,
                        Event.StepCancelled _,
                        Event.StepEndedOn _,
                        Event.StepFinished _,
                        Event.CredentialsChanged _ -> {}
            }
        }
    }

    @Override
    public void resync(Snapshot snapshot) {
        nodeStates.clear();
        snapshot.nodes().forEach(node -> nodeStates.put(node.name(), stateOf(node)));
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
        line.log(what);
    }

    /// Only what an operator would act on: allocations change all the time.
    private void tell(Node node) {
        var now = stateOf(node);
        if (!now.equals(nodeStates.put(node.name(), now))) {
            LOG.atInfo()
                    .addKeyValue("node", node.name())
                    .addKeyValue("state", now)
                    .addKeyValue("reason", node.note().text())
                    .log("node changed");
        }
    }

    private static String stateOf(Node node) {
        return node.health()
                + (node.draining() ? "+DRAIN" : "")
                + (node.responds() ? "" : "+NOT_RESPONDING");
    }
}
