package dev.spur.engine.state;

import dev.spur.model.IndexSet;
import dev.spur.model.NodeShape;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;

/// Nodes that are alike: whatever fits one of them when it is empty fits each.
///
/// @param members by [Node#index]
public record NodeClass(NodeShape shape, List<String> features, IndexSet members) {
    public NodeClass {
        features = List.copyOf(features);
    }

    private record Likeness(NodeShape shape, List<String> features) {}

    static List<NodeClass> group(Iterable<Node> nodes) {
        var groups = new LinkedHashMap<Likeness, BitSet>();
        for (var node : nodes) {
            groups.computeIfAbsent(new Likeness(node.shape(), node.features()), _ -> new BitSet())
                    .set(node.index());
        }
        var classes = new ArrayList<NodeClass>(groups.size());
        groups.forEach((likeness, members) ->
                classes.add(
                        new NodeClass(likeness.shape, likeness.features, IndexSet.of(members))));
        return List.copyOf(classes);
    }

    static boolean isSame(Node one, Node other) {
        return one.shape().equals(other.shape()) && one.features().equals(other.features());
    }
}
