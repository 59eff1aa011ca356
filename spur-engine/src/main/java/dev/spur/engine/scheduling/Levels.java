package dev.spur.engine.scheduling;

import dev.spur.engine.demand.TaskRoom;
import dev.spur.model.NodeShape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/// The resources that nodes are compared by, CPUs, memory and each name of devices, and of each the
/// few amounts that are told apart: those that waiting jobs ask for, thinned out if they are many.
final class Levels {
    /// Amounts of one resource.
    private static final int MOST = 64;

    private static final int CPUS = 0;
    private static final int MEMORY = 1;
    private static final int DEVICES = 2;

    /// Names of devices, from resource [#DEVICES] on.
    private final List<String> devices;

    /// For each resource, the amounts in ascending order, none of them zero.
    private final long[][] amounts;

    /// For each resource, the number of its first level.
    private final int[] first;

    /// For each class of nodes and each name of devices, their positions in the class's list.
    private final int[][][] kinds;

    Levels(Collection<Shape> shapes, Nodes nodes) {
        devices =
                nodes.classes.stream()
                        .flatMap(like -> like.shape().gres().stream())
                        .map(gres -> gres.name())
                        .distinct()
                        .toList();
        amounts = new long[DEVICES + devices.size()][];
        first = new int[amounts.length + 1];
        for (var resource = 0; resource < amounts.length; resource++) {
            amounts[resource] = amounts(resource, shapes, nodes.classes.size());
            first[resource + 1] = first[resource] + amounts[resource].length;
        }
        kinds = new int[nodes.classes.size()][devices.size()][];
        for (var like = 0; like < kinds.length; like++) {
            for (var device = 0; device < devices.size(); device++) {
                kinds[like][device] = kinds(nodes, like, devices.get(device));
            }
        }
    }

    private long[] amounts(int resource, Collection<Shape> shapes, int classes) {
        var asked = new TreeSet<Long>();
        for (var shape : shapes) {
            for (var like = 0; like < classes; like++) {
                var need = shape.needOf(like);
                if (need != null) {
                    asked.add(amount(resource, need));
                }
            }
        }
        asked.remove(0L);
        var all = new ArrayList<>(asked);
        var some = new long[Math.min(all.size(), MOST)];
        for (var i = 0; i < some.length; i++) {
            some[i] = all.get(i * all.size() / some.length);
        }
        return some;
    }

    private static int[] kinds(Nodes nodes, int like, String device) {
        var gres = nodes.classes.get(like).shape().gres();
        var found = new ArrayList<Integer>();
        for (var kind = 0; kind < gres.size(); kind++) {
            if (gres.get(kind).name().equals(device)) {
                found.add(kind);
            }
        }
        return found.stream().mapToInt(Integer::intValue).toArray();
    }

    private long amount(int resource, TaskRoom.Need need) {
        return switch (resource) {
            case CPUS -> need.cpus();
            case MEMORY -> need.memory();
            default -> need.room().devices(devices.get(resource - DEVICES), need);
        };
    }

    /// What a node has of a resource.
    ///
    /// @param like the node's class
    long amount(int resource, int like, int cpus, long memory, long[] gres) {
        if (resource == CPUS) {
            return cpus;
        }
        if (resource == MEMORY) {
            return memory;
        }
        var sum = 0L;
        for (var kind : kinds[like][resource - DEVICES]) {
            sum += gres[kind];
        }
        return sum;
    }

    int resources() {
        return amounts.length;
    }

    /// How many levels there are of all resources.
    int count() {
        return first[amounts.length];
    }

    /// The number of a resource's first level.
    int first(int resource) {
        return first[resource];
    }

    /// The number after that of a resource's last level.
    int end(int resource) {
        return first[resource + 1];
    }

    /// The number after that of the highest level of a resource that an amount reaches.
    int reached(int resource, long amount) {
        var level = 0;
        var those = amounts[resource];
        while (level < those.length && those[level] <= amount) {
            level++;
        }
        return first[resource] + level;
    }

    /// Whether an empty node has so much.
    boolean isReached(int level, int like, NodeShape shape) {
        var resource = 0;
        while (end(resource) <= level) {
            resource++;
        }
        var has =
                amount(
                        resource,
                        like,
                        shape.cpus(),
                        shape.memoryMebibytes(),
                        TaskRoom.counts(shape));
        return amounts[resource][level - first[resource]] <= has;
    }

    /// As [#reached], for what a job needs.
    int reached(int resource, TaskRoom.Need need) {
        return reached(resource, amount(resource, need));
    }
}
