package dev.spur.engine.scheduling;

import dev.spur.engine.state.Demand;
import dev.spur.engine.state.Partition;
import dev.spur.engine.state.Site;
import dev.spur.model.NodeShape;
import java.util.function.IntPredicate;

/// Whether a demand could be met if nothing else ran.
public final class Feasibility {
    private Feasibility() {}

    /// With every node of the partition in service.
    public static boolean ever(Site site, Partition partition, Demand demand) {
        return isPossible(site, partition, demand, _ -> true);
    }

    /// With those nodes that pass.
    static boolean isPossible(
            Site site, Partition partition, Demand demand, IntPredicate inService) {
        var supply = new Supply(demand);
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
                if (node != null
                        && inService.test(index)
                        && !demand.excluded().contains(node.name())) {
                    supply.add(tasks);
                    addDevices(devices, room, nodes.shape());
                }
            }
        }
        return supply.suffices()
                && haveDevices(demand, devices)
                && requiredFit(site, partition, demand, inService);
    }

    private static void addDevices(long[] devices, TaskRoom room, NodeShape shape) {
        for (var wanted = 0; wanted < devices.length; wanted++) {
            devices[wanted] +=
                    room.devicesForJob(
                            wanted,
                            shape.cpus(),
                            shape.memoryMebibytes(),
                            TaskRoom.counts(shape),
                            0);
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

    private static boolean requiredFit(
            Site site, Partition partition, Demand demand, IntPredicate inService) {
        for (var name : demand.required()) {
            var node = site.node(name).orElse(null);
            if (node == null
                    || !partition.nodes().contains(node.index())
                    || !inService.test(node.index())
                    || !TaskRoom.suits(demand, node.shape(), node.features())
                    || TaskRoom.whole(demand, node.shape()) == 0) {
                return false;
            }
        }
        return true;
    }
}
