package dev.spur.engine.scheduling;

import dev.spur.engine.state.JobTerms;
import dev.spur.engine.state.Node;
import dev.spur.engine.state.Partition;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.PartitionState;
import dev.spur.model.PendingReason;
import dev.spur.model.Reason;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.TimeLimit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All pending jobs with equal terms, as one pass sees them: what one of them learns holds for the
/// rest. Capacity only shrinks within a pass, so when one could not start now none of the later
/// ones can, and none can start before it.
final class Shape {
    final JobTerms terms;
    final int duration;
    final List<Option> options = new ArrayList<>();
    final @Nullable Reason obstacle;

    boolean blocked;
    int reserved;
    int earliest;

    /// One partition in which the jobs may run, one way to meet their demand there.
    record Option(Partition partition, Variant variant, List<NodeTimeline> nodes) {}

    Shape(Snapshot cluster, Timeline timeline, JobTerms terms) {
        this.terms = terms;
        duration =
                terms.timeLimit() instanceof TimeLimit.Limited limited
                        ? (int) Math.min(limited.duration().toSeconds(), NodeTimeline.FOREVER)
                        : NodeTimeline.FOREVER;
        Reason first = null;
        for (var name : terms.partitions()) {
            var partition = cluster.partition(name).orElse(null);
            var reason =
                    partition == null
                            ? Reason.of(PendingReason.PARTITION_DOWN)
                            : offer(cluster, timeline, partition);
            first = first == null ? reason : first;
        }
        obstacle = options.isEmpty() ? first : null;
    }

    /// Adds the ways in which the partition can serve; null if it did, else why it cannot.
    private @Nullable Reason offer(Snapshot cluster, Timeline timeline, Partition partition) {
        var rules = partition.spec();
        var demand = terms.demand();
        if (!rules.state().startsJobs()) {
            return Reason.of(
                    rules.state() == PartitionState.INACTIVE
                            ? PendingReason.PARTITION_INACTIVE
                            : PendingReason.PARTITION_DOWN);
        }
        if (terms.timeLimit().compareTo(rules.maxTime()) > 0) {
            return Reason.of(PendingReason.PARTITION_TIME_LIMIT);
        }
        if (rules.maxNodes() > 0 && demand.minNodes() > rules.maxNodes()
                || demand.maxNodes() < rules.minNodes()) {
            return Reason.of(PendingReason.PARTITION_NODE_LIMIT);
        }
        var added = false;
        for (var variant : Variant.of(demand)) {
            if (Feasibility.isPossible(
                    cluster, partition, variant.demand(), index -> isInService(cluster, index))) {
                options.add(
                        new Option(
                                partition,
                                variant,
                                candidates(cluster, timeline, partition, variant)));
                added = true;
            }
        }
        return added ? null : whyNot(cluster, partition);
    }

    private Reason whyNot(Snapshot cluster, Partition partition) {
        var demand = terms.demand();
        if (Variant.of(demand).stream()
                .noneMatch(variant -> Feasibility.ever(cluster, partition, variant.demand()))) {
            return Reason.of(PendingReason.PARTITION_CONFIG);
        }
        var missing =
                demand.required().stream()
                        .filter(name -> cluster.node(name).filter(Node::isSchedulable).isEmpty())
                        .toList();
        return missing.isEmpty()
                ? Reason.of(PendingReason.NODES_DOWN)
                : new Reason(
                        PendingReason.NODES_NOT_AVAILABLE,
                        ", UnavailableNodes:" + Hostlist.compress(missing));
    }

    private static boolean isInService(Snapshot cluster, int index) {
        var node = cluster.nodeAt(index);
        return node != null && node.isSchedulable();
    }

    private static List<NodeTimeline> candidates(
            Snapshot cluster, Timeline timeline, Partition partition, Variant variant) {
        var demand = variant.demand();
        var nodes = new ArrayList<NodeTimeline>();
        for (var nodeClass : cluster.nodeClasses()) {
            if (!TaskRoom.suits(demand, nodeClass.shape(), nodeClass.features())
                    || TaskRoom.whole(demand, nodeClass.shape()) == 0) {
                continue;
            }
            nodeClass
                    .members()
                    .intersect(partition.nodes())
                    .forEach(index -> {
                        var node = timeline.at(index);
                        if (node != null
                                && node.node.isSchedulable()
                                && !demand.excluded().contains(node.node.name())) {
                            nodes.add(node);
                        }
                    });
        }
        nodes.sort((one, other) -> Integer.compare(one.node.index(), other.node.index()));
        return nodes;
    }
}
