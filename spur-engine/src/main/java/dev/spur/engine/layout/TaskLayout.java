package dev.spur.engine.layout;

import dev.spur.engine.demand.Demand;
import dev.spur.model.IndexSet;
import dev.spur.model.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/// Deals tasks out to nodes.
public final class TaskLayout {
    private TaskLayout() {}

    /// The ranks of each node.
    ///
    /// @param room how many tasks each node can take; together at least `tasks`, each at least one
    public static List<IndexSet> ranks(int tasks, int[] room, Distribution distribution) {
        return switch (distribution) {
            case Distribution.Block() -> consecutive(balanced(tasks, room));
            case Distribution.Cyclic() -> inTurn(tasks, room, 1);
            case Distribution.Plane(var size) -> inTurn(tasks, room, size);
        };
    }

    /// How many of a job's tasks each of its nodes would have if one step used all of it.
    public static int[] ofJob(Placement placement, Demand demand) {
        var tasks = demand.tasksOn(placement.nodes().size());
        var room =
                placement.nodes().stream()
                        .mapToInt(share -> room(share.cpus().size(), tasks, demand))
                        .toArray();
        // Nodes that a job has as a whole say nothing about where its tasks were meant to be.
        return demand.exclusive() ? balanced(tasks, room) : blocks(tasks, room);
    }

    private static int room(int cpus, int tasks, Demand demand) {
        var byCpus = demand.overcommit() ? tasks : Math.max(1, cpus / demand.cpusPerTask());
        return demand.tasksPerNode() > 0 ? Math.min(byCpus, demand.tasksPerNode()) : byCpus;
    }

    /// How many tasks' CPUs a job gets on each of its nodes: on the first as many as it can take,
    /// but on every later one at least one. So does Slurm 22.05, whatever `--distribution` says,
    /// which is for the steps.
    public static int[] blocks(int tasks, int[] room) {
        var counts = new int[room.length];
        var left = tasks;
        for (var node = 0; node < room.length; node++) {
            var later = room.length - node - 1;
            counts[node] = Math.max(0, Math.min(room[node], left - later));
            left -= counts[node];
        }
        return counts;
    }

    /// As equally many on each node as their room allows.
    private static int[] balanced(int tasks, int[] room) {
        var counts = new int[room.length];
        var left = tasks;
        for (var dealt = true; left > 0 && dealt; ) {
            dealt = false;
            for (var node = 0; node < room.length && left > 0; node++) {
                if (counts[node] < room[node]) {
                    counts[node]++;
                    left--;
                    dealt = true;
                }
            }
        }
        return counts;
    }

    private static List<IndexSet> consecutive(int[] counts) {
        var ranks = new ArrayList<IndexSet>(counts.length);
        var next = 0;
        for (var count : counts) {
            ranks.add(IndexSet.range(next, next + count));
            next += count;
        }
        return ranks;
    }

    private static List<IndexSet> inTurn(int tasks, int[] room, int size) {
        var ranks = new BitSet[room.length];
        for (var node = 0; node < room.length; node++) {
            ranks[node] = new BitSet();
        }
        var left = room.clone();
        var task = 0;
        for (var dealt = true; task < tasks && dealt; ) {
            dealt = false;
            for (var node = 0; node < room.length && task < tasks; node++) {
                for (var i = 0; i < size && left[node] > 0 && task < tasks; i++) {
                    ranks[node].set(task++);
                    left[node]--;
                    dealt = true;
                }
            }
        }
        return Arrays.stream(ranks).map(IndexSet::of).toList();
    }
}
