package dev.spur.cli.sinfo;

import dev.spur.api.v1.Node;
import dev.spur.api.v1.Partition;
import dev.spur.cli.format.Field;
import dev.spur.cli.format.View;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// Gathers the nodes of all partitions into lines: two nodes share one when every separating field
/// that is shown has the same text for both. A node that is in several partitions counts once per
/// line.
final class Grouping {
    private final List<Field<Group>> ofPartition;
    private final List<Field<Group>> ofNode;
    private final View view;
    private final boolean isPerNode;

    Grouping(Set<Field<Group>> shown, boolean isExact, boolean isPerNode, View view) {
        this.ofPartition = shown.stream().filter(GroupFields.OF_PARTITION::contains).toList();
        this.ofNode =
                shown.stream()
                        .filter(field ->
                                GroupFields.OF_NODE.contains(field)
                                        || (isExact && GroupFields.OF_SIZE.contains(field)))
                        .toList();
        this.isPerNode = isPerNode;
        this.view = view;
    }

    List<Group> of(List<Partition> partitions, List<Node> nodes, Predicate<Node> isWanted) {
        var members = members(nodes);
        var gathering = new LinkedHashMap<String, Gathered>();
        for (var partition : partitions) {
            var wanted =
                    members.getOrDefault(partition.getName(), List.of()).stream()
                            .filter(isWanted)
                            .toList();
            wanted.forEach(node ->
                    gathering
                            .computeIfAbsent(key(partition, node), _ -> new Gathered(partition))
                            .add(node));
            if (wanted.isEmpty() && !isPerNode && !ofPartition.isEmpty()) {
                gathering.put(partition.getName() + "\nempty", new Gathered(partition));
            }
        }
        return gathering.values().stream().map(Gathered::group).toList();
    }

    private static Map<String, List<Node>> members(List<Node> nodes) {
        var members = new HashMap<String, List<Node>>();
        for (var node : nodes) {
            for (var partition : node.getPartitionsList()) {
                members.computeIfAbsent(partition, _ -> new ArrayList<>()).add(node);
            }
        }
        return members;
    }

    private String key(Partition partition, Node node) {
        var alone = new Group(partition, List.of(node));
        var key = new StringBuilder();
        if (isPerNode) {
            key.append(partition.getName()).append('\n').append(node.getName()).append('\n');
        }
        for (var field : ofPartition) {
            field.cell().append(key, alone, view);
            key.append('\n');
        }
        for (var field : ofNode) {
            field.cell().append(key, alone, view);
            key.append('\n');
        }
        return key.toString();
    }

    private static final class Gathered {
        private final Partition partition;
        private final List<Node> nodes = new ArrayList<>();
        private final Set<String> names = new HashSet<>();

        Gathered(Partition partition) {
            this.partition = partition;
        }

        void add(Node node) {
            if (names.add(node.getName())) {
                nodes.add(node);
            }
        }

        Group group() {
            return new Group(partition, nodes);
        }
    }
}
