package dev.spur.engine.state;

import dev.spur.engine.table.TableView;
import dev.spur.model.ClusterConfig;
import dev.spur.model.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The whole state as it was after some command: immutable, consistent, free to keep.
///
/// @param now the time of the latest command
/// @param jobs by [JobId#value], ascending
/// @param nodes by [Node#index]
/// @param partitions in configured order
/// @param nextAlarm when time alone changes something next: propose [Command.AdvanceTime] then
/// @param nodeIndex node name to [Node#index]
public record Snapshot(
        Instant now,
        ClusterConfig config,
        TableView<Job> jobs,
        TableView<ArrayLedger> arrays,
        TableView<Node> nodes,
        Map<String, Integer> nodeIndex,
        List<NodeClass> nodeClasses,
        List<Partition> partitions,
        Credentials credentials,
        TableView<RememberedRequest> requests,
        Counters counters,
        @Nullable Instant nextAlarm,
        long eventCursor)
        implements Site {

    /// Counts the commands applied.
    public long revision() {
        return counters.revision();
    }

    /// Unchanged as long as a scheduling pass would find nothing new but time.
    public long schedulingRevision() {
        return counters.schedulingRevision();
    }

    @Override
    public @Nullable Node nodeAt(int index) {
        return nodes.get(index);
    }

    @Override
    public Iterable<Node> knownNodes() {
        return nodes;
    }

    @Override
    public Optional<Job> job(JobId id) {
        return Optional.ofNullable(jobs.get(id.value()));
    }

    @Override
    public Optional<Node> node(String name) {
        var index = nodeIndex.get(name);
        return index == null ? Optional.empty() : Optional.ofNullable(nodes.get(index));
    }

    public Optional<ArrayLedger> array(JobId id) {
        return Optional.ofNullable(arrays.get(id.value()));
    }
}
