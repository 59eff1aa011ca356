package dev.spur.testkit.simulated;

import dev.spur.engine.job.Job;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.JobId;
import java.util.HashMap;
import java.util.Map;

/// Tells what became of each job, for whoever reads why a seed failed.
final class Chronicle {
    private final SimulatedTime time;
    private final Map<JobId, String> known = new HashMap<>();
    private long revision;

    Chronicle(SimulatedTime time) {
        this.time = time;
    }

    /// Of all controllers' states, the first that knows more than all before.
    void note(Snapshot state) {
        if (state.revision() <= revision) {
            return;
        }
        revision = state.revision();
        for (var job : state.jobs()) {
            var now = words(job);
            if (!now.equals(known.put(job.id(), now))) {
                time.tell("    job %s: %s", job.id(), now);
            }
        }
    }

    private static String words(Job job) {
        var placement = job.phase().placementOrNull();
        return "%s attempt %d%s%s%s"
                .formatted(
                        job.state(),
                        job.attempt(),
                        job.queueing().isHeld() ? " held by " + job.queueing().hold() : "",
                        placement == null ? "" : " on " + placement.nodeNames(),
                        job.array() == null ? "" : " = " + job.shownId());
    }
}
