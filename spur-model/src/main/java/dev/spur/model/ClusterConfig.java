package dev.spur.model;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the cluster has agreed on about itself. It enters the state as a command, so every replica
/// and every replay uses the same; what only concerns one process stays in that process.
///
/// @param nodes the first entry that names a node counts for it
/// @param admins users who may do everything
/// @param operators users who may change jobs and nodes of everybody
/// @param jobVisibility missing in what was recorded before it was agreed on: redacted
/// @param cloud missing: there is none, or it has no users of its own
public record ClusterConfig(
        String clusterName,
        List<PartitionSpec> partitions,
        List<NodeSpec> nodes,
        ClusterRules rules,
        List<String> admins,
        List<String> operators,
        @Nullable JobVisibility jobVisibility,
        @Nullable CloudRules cloud) {

    public static final ClusterConfig EMPTY =
            new ClusterConfig("spur", List.of(), List.of(), ClusterRules.DEFAULTS);

    public ClusterConfig {
        partitions = List.copyOf(partitions);
        nodes = List.copyOf(nodes);
        admins = List.copyOf(admins);
        operators = List.copyOf(operators);
    }

    /// A cluster in which root decides.
    public ClusterConfig(
            String clusterName,
            List<PartitionSpec> partitions,
            List<NodeSpec> nodes,
            ClusterRules rules) {
        this(clusterName, partitions, nodes, rules, List.of(), List.of(), null, null);
    }

    /// Whether this uid is one that the cloud gives to its users.
    public boolean isOfCloud(int uid) {
        return cloud != null && cloud.owns(uid);
    }

    public Duration killWait() {
        return rules.killWait();
    }
}
