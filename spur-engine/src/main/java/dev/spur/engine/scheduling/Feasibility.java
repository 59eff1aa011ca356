package dev.spur.engine.scheduling;

import dev.spur.engine.state.Demand;
import dev.spur.engine.state.Partition;
import dev.spur.engine.state.Site;

/// Whether a demand could be met if nothing else ran.
public final class Feasibility {
    private Feasibility() {}

    /// With every node of the partition in service.
    public static boolean ever(Site site, Partition partition, Demand demand) {
        var supply = new Supply(demand.minNodes(), demand.maxNodes(), demand.tasks());
        var devices = new long[demand.gresPerJob().size()];
        for (var nodes : site.nodeClasses()) {
            if (!TaskRoom.suits(demand, nodes.shape(), nodes.features())) {
                continue;
            }
            var room = new TaskRoom(demand, nodes.shape(), partition.spec().maxCpusPerNode());
            var tasks = room.whole();
            if (tasks == 0) {
                continue;
            }
            var members = nodes.members().intersect(partition.nodes());
            for (var index = members.next(0); index >= 0; index = members.next(index + 1)) {
                var node = site.nodeAt(index);
                if (node != null && !demand.excluded().contains(node.name())) {
                    supply.add(tasks, 1);
                    addDevices(devices, room);
                }
            }
        }
        return supply.suffices()
                && haveDevices(demand, devices)
                && requiredFit(site, partition, demand);
    }

    private static void addDevices(long[] devices, TaskRoom room) {
        for (var wanted = 0; wanted < devices.length; wanted++) {
            devices[wanted] += room.wholeDevicesForJob(wanted);
        }
    }

    private static boolean haveDevices(Demand demand, long[] devices) {
        for (var wanted = 0; wanted < devices.length; wanted++) {
            if (devices[wanted] < demand.gresPerJob().get(wanted).count()) {
                return false;
            }
        }
        return true;
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
