package dev.spur.engine.state;

import dev.spur.engine.table.TableView;
import dev.spur.model.ClusterConfig;
import dev.spur.model.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The whole state as it was after some command: immutable, consistent, free to keep.
///
/// @param now the time of the latest command
/// @param revision counts the commands applied
/// @param jobs by [JobId#value], ascending
/// @param nodes by [Node#index]
/// @param partitions in configured order
/// @param nodeIndex node name to [Node#index]
public record Snapshot(
        Instant now,
        long revision,
        ClusterConfig config,
        TableView<Job> jobs,
        TableView<ArrayLedger> arrays,
        TableView<Node> nodes,
        Map<String, Integer> nodeIndex,
        List<Partition> partitions,
        Credentials credentials,
        long eventCursor) {

    public Optional<Job> job(JobId id) {
        return Optional.ofNullable(jobs.get(id.value()));
    }

    public Optional<Node> node(String name) {
        var index = nodeIndex.get(name);
        return index == null ? Optional.empty() : Optional.ofNullable(nodes.get(index));
    }

    public Optional<Partition> partition(String name) {
        return partitions.stream().filter(partition -> partition.name().equals(name)).findFirst();
    }

    public Optional<Partition> defaultPartition() {
        return partitions.stream().filter(partition -> partition.spec().isDefault()).findFirst();
    }

    public Optional<ArrayLedger> array(JobId id) {
        return Optional.ofNullable(arrays.get(id.value()));
    }
}
