package dev.spur.engine.demand;

import dev.spur.engine.node.NodeClass;
import dev.spur.engine.site.Partition;
import dev.spur.engine.site.Site;
import java.util.Arrays;

/// Whether a demand could be met if nothing else ran.
public final class Feasibility {
    private Feasibility() {}

    /// With every node of the partition in service.
    public static boolean ever(Site site, Partition partition, Demand demand) {
        var supply = new NodeSupply(demand, demand.minNodes(), demand.maxNodes());
        for (var nodes : site.nodeClasses()) {
            if (TaskRoom.suits(demand, nodes.shape(), nodes.features())) {
                var room = new TaskRoom(demand, nodes.shape(), partition.spec().maxCpusPerNode());
                supply.add(room, count(site, partition, demand, nodes));
            }
        }
        return supply.suffices() && requiredFit(site, partition, demand);
    }

    /// The fewest nodes of the partition that could hold it.
    public static int leastNodes(Site site, Partition partition, Demand demand) {
        if (demand.tasks() == demand.minNodes() && demand.gresPerJob().isEmpty()) {
            return demand.minNodes();
        }
        var tasks = 1L;
        var devices = new long[demand.gresPerJob().size()];
        Arrays.fill(devices, 1);
        for (var nodes : site.nodeClasses()) {
            if (nodes.members().intersects(partition.nodes())
                    && TaskRoom.suits(demand, nodes.shape(), nodes.features())) {
                var room = new TaskRoom(demand, nodes.shape(), partition.spec().maxCpusPerNode());
                tasks = Math.max(tasks, room.whole());
                for (var i = 0; i < devices.length; i++) {
                    devices[i] = Math.max(devices[i], room.wholeDevicesForJob(i));
                }
            }
        }
        var least = Math.ceilDiv(demand.tasks(), tasks);
        for (var i = 0; i < devices.length; i++) {
            least = Math.max(least, Math.ceilDiv(demand.gresPerJob().get(i).count(), devices[i]));
        }
        return Math.clamp(least, demand.minNodes(), demand.maxNodes());
    }

    private static int count(Site site, Partition partition, Demand demand, NodeClass nodes) {
        var members = nodes.members().intersect(partition.nodes());
        var count = members.size();
        for (var name : demand.excluded()) {
            if (site.node(name).filter(node -> members.contains(node.index())).isPresent()) {
                count--;
            }
        }
        return count;
    }

    private static boolean requiredFit(Site site, Partition partition, Demand demand) {
        for (var name : demand.required()) {
            var node = site.node(name).orElse(null);
            if (node == null
                    || !partition.nodes().contains(node.index())
                    || !TaskRoom.suits(demand, node.shape(), node.features())
                    || TaskRoom.whole(demand, node.shape()) == 0) {
                return false;
            }
        }
        return true;
    }
}
