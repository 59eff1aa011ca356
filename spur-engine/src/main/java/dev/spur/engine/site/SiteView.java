package dev.spur.engine.site;

import dev.spur.engine.account.Accounts;
import dev.spur.engine.account.FairShare;
import dev.spur.engine.account.UsageView;
import dev.spur.engine.node.Node;
import dev.spur.engine.node.NodeClass;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.table.TableView;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.ClusterConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The cluster as it was published.
///
/// @param partitions in configured order
/// @param partitionEdits what administrators made of them, by name
/// @param nodes by [Node#index]
/// @param nodeIndex node name to [Node#index]
public record SiteView(
        ClusterConfig config,
        List<Partition> partitions,
        TableView<Node> nodes,
        Map<String, Integer> nodeIndex,
        List<NodeClass> nodeClasses,
        TresRegistry tres,
        Accounts accounts,
        UsageView usage,
        FairShare.Lazy fairShares,
        Reservations reservations,
        List<PartitionEdit> partitionEdits)
        implements Site {
    @Override
    public @Nullable Node nodeAt(int index) {
        return nodes.get(index);
    }

    @Override
    public FairShare fairShare() {
        return fairShares.get();
    }

    @Override
    public Iterable<Node> knownNodes() {
        return nodes;
    }

    @Override
    public Optional<Node> node(String name) {
        var index = nodeIndex.get(name);
        return index == null ? Optional.empty() : Optional.ofNullable(nodes.get(index));
    }
}
