package dev.spur.engine.scheduling;

/// Counts nodes by how many tasks they take, and knows whether a number of nodes can be chosen
/// among them so that all tasks have room.
final class Supply {
    /// No node takes more tasks than it has CPUs, and none has more than this.
    private static final int MOST_PER_NODE = 1 << 16;

    private final int minNodes;
    private final int maxNodes;
    private final int wanted;
    private final int[] nodesWithRoom;
    private int nodes;

    Supply(int minNodes, int maxNodes, int tasks) {
        this.minNodes = minNodes;
        this.maxNodes = maxNodes;
        wanted = tasks;
        nodesWithRoom = new int[Math.min(tasks, MOST_PER_NODE) + 1];
    }

    /// So many nodes that take so many tasks each.
    void add(int tasks, int count) {
        if (tasks > 0) {
            nodesWithRoom[Math.min(tasks, nodesWithRoom.length - 1)] += count;
            nodes += count;
        }
    }

    boolean suffices() {
        if (nodes < minNodes) {
            return false;
        }
        var left = (long) wanted;
        var choice = maxNodes;
        for (var tasks = nodesWithRoom.length - 1; tasks > 0 && left > 0 && choice > 0; tasks--) {
            var taken = Math.min(choice, nodesWithRoom[tasks]);
            left -= (long) taken * tasks;
            choice -= taken;
        }
        return left <= 0;
    }
}
