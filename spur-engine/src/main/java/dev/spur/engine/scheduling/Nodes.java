package dev.spur.engine.scheduling;

import dev.spur.engine.demand.TaskRoom;
import dev.spur.engine.node.Node;
import dev.spur.engine.node.NodeClass;
import dev.spur.engine.site.Partition;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.IndexSet;
import dev.spur.model.NodeShare;
import dev.spur.model.hostlist.Hostlist;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The nodes in the order in which they are filled: by weight, then by name. Sets of nodes are bit
/// sets over positions in this order.
final class Nodes {
    final List<NodeClass> classes;
    final FreeNode[] byPosition;

    /// For each class, its nodes.
    final BitSet[] ofClass;

    /// Nodes on which jobs may start.
    final BitSet inService = new BitSet();

    /// Nodes that have a CPU free.
    final BitSet withCpus = new BitSet();

    /// Counts the changes of [#inService].
    long services;

    private final Map<String, BitSet> members = new HashMap<>();
    private final Map<String, FreeNode> byName = new HashMap<>();
    private final Map<Integer, FreeNode> byIndex = new HashMap<>();
    private final List<FreeNode> touched = new ArrayList<>();

    Nodes(Snapshot snapshot) {
        classes = snapshot.nodeClasses();
        var known = new ArrayList<Node>();
        snapshot.knownNodes().forEach(known::add);
        var ranks = new HashMap<String, Integer>();
        for (var name : new Hostlist(known.stream().map(Node::name).toList()).sorted().hosts()) {
            ranks.put(name, ranks.size());
        }
        known.sort(
                Comparator.comparingInt(Node::weight)
                        .thenComparing(node -> ranks.getOrDefault(node.name(), 0)));
        byPosition = new FreeNode[known.size()];
        ofClass = new BitSet[classes.size()];
        Arrays.setAll(ofClass, _ -> new BitSet());
        for (var node : known) {
            var free =
                    new FreeNode(
                            byName.size(),
                            ranks.getOrDefault(node.name(), 0),
                            classOf(node.index()),
                            node);
            byPosition[free.position] = free;
            ofClass[free.kind].set(free.position);
            byName.put(node.name(), free);
            byIndex.put(node.index(), free);
            inService.set(free.position, node.isSchedulable());
            withCpus.set(free.position, free.cpus > 0);
        }
    }

    private int classOf(int index) {
        for (var kind = 0; kind < classes.size(); kind++) {
            if (classes.get(kind).members().contains(index)) {
                return kind;
            }
        }
        throw new IllegalStateException("node " + index + " belongs to no class");
    }

    int size() {
        return byPosition.length;
    }

    @Nullable FreeNode find(String name) {
        return byName.get(name);
    }

    BitSet membersOf(Partition partition) {
        return members.computeIfAbsent(
                partition.name(),
                _ -> {
                    var positions = new BitSet(size());
                    for (var free : byPosition) {
                        positions.set(free.position, partition.nodes().contains(free.node.index()));
                    }
                    return positions;
                });
    }

    /// Where these nodes are, by their index.
    BitSet positions(IndexSet indexes) {
        var positions = new BitSet(size());
        indexes.forEach(index -> {
            var free = byIndex.get(index);
            if (free != null) {
                positions.set(free.position);
            }
        });
        return positions;
    }

    /// Takes over a changed row; false if the order of the nodes is another now.
    boolean update(@Nullable Node before, @Nullable Node after) {
        var free = after == null ? null : byIndex.get(after.index());
        if (before == null || after == null || free == null || before.weight() != after.weight()) {
            return false;
        }
        load(free, after);
        if (inService.get(free.position) != after.isSchedulable()) {
            inService.flip(free.position);
            services++;
        }
        return true;
    }

    private void load(FreeNode free, Node row) {
        free.load(row);
        withCpus.set(free.position, free.cpus > 0);
    }

    /// Gives so many tasks what they need of a node, until [#restore].
    NodeShare take(int position, TaskRoom room, int tasks, long[] ofJob) {
        var free = byPosition[position];
        touched.add(free);
        var share = free.take(room, tasks, ofJob);
        withCpus.set(position, free.cpus > 0);
        return share;
    }

    void giveBack(int position, NodeShare share) {
        var free = byPosition[position];
        free.giveBack(share);
        withCpus.set(position, free.cpus > 0);
    }

    /// Forgets what the last pass gave: what of it came true is in the next snapshot.
    void restore() {
        touched.forEach(free -> load(free, free.node));
        touched.clear();
    }

    String hostlist(int[] positions) {
        if (positions.length == 1) {
            return byPosition[positions[0]].name();
        }
        var names = new ArrayList<String>(positions.length);
        for (var position : positions) {
            names.add(byPosition[position].name());
        }
        return Hostlist.compress(names);
    }
}
