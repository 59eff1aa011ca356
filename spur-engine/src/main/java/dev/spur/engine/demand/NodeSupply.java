package dev.spur.engine.demand;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/// Counts nodes by what they have when they are empty, and knows whether a demand can be met by as
/// many of them as it may have.
public final class NodeSupply {
    private final Demand demand;
    private final int minNodes;
    private final int maxNodes;
    private final List<Batch> batches = new ArrayList<>();

    /// So many nodes that are alike.
    private record Batch(TaskRoom room, int nodes) {}

    public NodeSupply(Demand demand, int minNodes, int maxNodes) {
        this.demand = demand;
        this.minNodes = minNodes;
        this.maxNodes = maxNodes;
    }

    /// So many nodes that have this room each.
    public void add(TaskRoom room, int nodes) {
        if (nodes > 0 && room.whole() >= demand.tasksOnEachNode()) {
            batches.add(new Batch(room, nodes));
        }
    }

    public boolean suffices() {
        return batches.stream().mapToLong(Batch::nodes).sum() >= minNodes
                && most(TaskRoom::whole) >= demand.tasksOn(minNodes)
                && hasDevices();
    }

    private boolean hasDevices() {
        for (var i = 0; i < demand.gresPerJob().size(); i++) {
            var wanted = i;
            if (most(room -> room.wholeDevicesForJob(wanted))
                    < demand.gresPerJob().get(wanted).count()) {
                return false;
            }
        }
        return true;
    }

    /// What those nodes have together that have the most, as many as the demand may have.
    private long most(ToLongFunction<TaskRoom> of) {
        var richest =
                batches.stream()
                        .sorted((one, other) ->
                                Long.compare(of.applyAsLong(other.room), of.applyAsLong(one.room)))
                        .toList();
        var sum = 0L;
        var left = maxNodes;
        for (var batch : richest) {
            var taken = Math.min(left, batch.nodes);
            sum += taken * of.applyAsLong(batch.room);
            left -= taken;
        }
        return sum;
    }
}
