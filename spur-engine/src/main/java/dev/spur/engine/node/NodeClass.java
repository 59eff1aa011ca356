package dev.spur.engine.node;

import dev.spur.model.IndexSet;
import dev.spur.model.NodeShape;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Nodes that are alike: whatever fits one of them when it is empty fits each.
///
/// @param members by [Node#index]
public record NodeClass(NodeShape shape, List<String> features, IndexSet members) {
    public NodeClass {
        features = List.copyOf(features);
    }

    private record Likeness(NodeShape shape, List<String> features) {}

    private static Likeness of(Node node) {
        return new Likeness(node.shape(), node.features());
    }

    private static boolean isSame(Node one, Node other) {
        return one.shape().equals(other.shape()) && one.features().equals(other.features());
    }

    /// The classes of the nodes that come, change and go.
    public static final class Register {
        private final Map<Likeness, BitSet> groups = new HashMap<>();
        private @Nullable List<NodeClass> list;

        public void replace(@Nullable Node before, @Nullable Node after) {
            if (before != null && after != null && isSame(before, after)) {
                return;
            }
            list = null;
            if (before != null) {
                groups.computeIfPresent(
                        of(before),
                        (_, members) -> {
                            members.clear(before.index());
                            return members.isEmpty() ? null : members;
                        });
            }
            if (after != null) {
                groups.computeIfAbsent(of(after), _ -> new BitSet()).set(after.index());
            }
        }

        /// By their first nodes, so that the order does not depend on how it came to be.
        public List<NodeClass> list() {
            if (list == null) {
                list =
                        groups.entrySet().stream()
                                .sorted(
                                        Comparator.comparingInt(
                                                group -> group.getValue().nextSetBit(0)))
                                .map(group ->
                                        new NodeClass(
                                                group.getKey().shape,
                                                group.getKey().features,
                                                IndexSet.of(group.getValue())))
                                .toList();
            }
            return list;
        }
    }
}
