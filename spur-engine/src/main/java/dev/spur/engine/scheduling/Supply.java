package dev.spur.engine.scheduling;

import dev.spur.engine.state.Demand;

/// Counts nodes by how many tasks they take, and knows whether a demand's number of nodes can be
/// chosen among them so that all tasks have room. Nodes can be added and taken out again as time
/// goes by.
final class Supply {
    /// No node takes more tasks than it has CPUs, and none has more than this.
    private static final int MOST_PER_NODE = 1 << 16;

    private final Demand demand;
    private final int[] nodesWithRoom;
    private int nodes;
    private long room;

    Supply(Demand demand) {
        this.demand = demand;
        this.nodesWithRoom = new int[Math.min(demand.tasks(), MOST_PER_NODE) + 1];
    }

    void add(int tasks) {
        change(tasks, 1);
    }

    void remove(int tasks) {
        change(tasks, -1);
    }

    private void change(int tasks, int sign) {
        if (tasks > 0) {
            nodesWithRoom[Math.min(tasks, nodesWithRoom.length - 1)] += sign;
            nodes += sign;
            room += (long) sign * tasks;
        }
    }

    boolean suffices() {
        if (nodes < demand.minNodes() || room < demand.tasks()) {
            return false;
        }
        var left = (long) demand.tasks();
        var choice = demand.maxNodes();
        for (var tasks = nodesWithRoom.length - 1; tasks > 0 && left > 0 && choice > 0; tasks--) {
            var taken = Math.min(choice, nodesWithRoom[tasks]);
            left -= (long) taken * tasks;
            choice -= taken;
        }
        return left <= 0;
    }
}
