package dev.spur.model;

import java.time.Duration;
import java.util.List;

/// What the cluster has agreed on about itself. It enters the state as a command, so every replica
/// and every replay uses the same; what only concerns one process stays in that process.
///
/// @param nodes the first entry that names a node counts for it
public record ClusterConfig(
        String clusterName,
        List<PartitionSpec> partitions,
        List<NodeSpec> nodes,
        ClusterRules rules) {

    public static final ClusterConfig EMPTY =
            new ClusterConfig("spur", List.of(), List.of(), ClusterRules.DEFAULTS);

    public ClusterConfig {
        partitions = List.copyOf(partitions);
        nodes = List.copyOf(nodes);
    }

    public Duration killWait() {
        return rules.killWait();
    }
}
