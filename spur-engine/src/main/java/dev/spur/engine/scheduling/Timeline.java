package dev.spur.engine.scheduling;

import dev.spur.engine.state.Job;
import dev.spur.engine.state.JobPhase;
import dev.spur.engine.state.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The future of every node: what runs ends at its time limit, what is planned begins as reserved.
/// Times are seconds from now.
final class Timeline {
    /// Nodes that are being cleaned, and jobs past their limit, are expected to be free soon.
    private static final int SOON = 30;

    private final @Nullable NodeTimeline[] nodes;

    Timeline(Snapshot cluster, Instant now) {
        var highest = 0;
        for (var node : cluster.nodes()) {
            highest = Math.max(highest, node.index() + 1);
        }
        nodes = new NodeTimeline[highest];
        for (var node : cluster.nodes()) {
            nodes[node.index()] = new NodeTimeline(node);
        }
        for (var job : cluster.jobs()) {
            if (job.hasNodes()) {
                add(cluster, job, now);
            }
        }
    }

    @Nullable NodeTimeline at(int index) {
        return index < nodes.length ? nodes[index] : null;
    }

    private void add(Snapshot cluster, Job job, Instant now) {
        var placement = job.phase().placementOrNull();
        if (placement == null) {
            return;
        }
        var end = end(job.phase(), now);
        List<String> held =
                job.phase() instanceof JobPhase.Completing completing
                        ? completing.remaining()
                        : List.of();
        for (var share : placement.nodes()) {
            var index = cluster.nodeIndex().get(share.node());
            var timeline = index == null ? null : nodes[index];
            if (timeline != null
                    && (!(job.phase() instanceof JobPhase.Completing)
                            || held.contains(share.node()))) {
                timeline.release(share, end);
            }
        }
    }

    private static int end(JobPhase phase, Instant now) {
        return switch (phase) {
            case JobPhase.Running(_, _, var deadline, _) ->
                    deadline == null ? NodeTimeline.FOREVER : seconds(now, deadline);
            case JobPhase.Suspended _ -> NodeTimeline.FOREVER;
            case JobPhase.Completing _ -> SOON;
            case JobPhase.Pending _, JobPhase.Ended _ -> 0;
        };
    }

    /// Rounded up, so that nothing is planned before it can be.
    private static int seconds(Instant now, Instant then) {
        var left = Duration.between(now, then);
        if (!left.isPositive()) {
            return SOON;
        }
        var seconds = left.getSeconds() + (left.getNano() > 0 ? 1 : 0);
        return (int) Math.min(seconds, NodeTimeline.FOREVER);
    }
}
