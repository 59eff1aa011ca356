package dev.spur.engine.site;

import dev.spur.engine.account.Accounts;
import dev.spur.engine.account.FairShare;
import dev.spur.engine.account.UsageBook;
import dev.spur.engine.node.Node;
import dev.spur.engine.node.NodeClass;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.ClusterConfig;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What rules may look at: the published state, or the one being written.
public interface Site {
    ClusterConfig config();

    List<Partition> partitions();

    @Nullable Node nodeAt(int index);

    Optional<Node> node(String name);

    /// Every node that is known, in index order.
    Iterable<Node> knownNodes();

    /// The nodes grouped by what they have.
    List<NodeClass> nodeClasses();

    /// Who may use what.
    Accounts accounts();

    /// What was used.
    UsageBook usage();

    /// Who is due what, by both.
    FairShare fairShare();

    Reservations reservations();

    /// The numbers that resources are counted by.
    TresRegistry tres();

    default Optional<Partition> partition(String name) {
        return partitions().stream().filter(partition -> partition.name().equals(name)).findFirst();
    }

    default Optional<Partition> defaultPartition() {
        return partitions().stream().filter(partition -> partition.spec().isDefault()).findFirst();
    }
}
