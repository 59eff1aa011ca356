package dev.spur.cli.sinfo;

import static dev.spur.cli.format.SortKeys.number;
import static dev.spur.cli.format.SortKeys.text;

import dev.spur.api.v1.Node;
import dev.spur.api.v1.Partition;
import dev.spur.cli.format.SortKeys;
import dev.spur.cli.format.SortKeys.Key;
import dev.spur.model.hostlist.Hostlist;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// What the lines of sinfo can be sorted by, letter by letter.
final class GroupOrder {
    static final String USUAL = "#P,-t";
    static final String USUAL_PER_NODE = "N";

    private GroupOrder() {}

    static SortKeys<Group> parse(
            String specification, List<Partition> partitions, List<Node> nodes) {
        var keys = new HashMap<String, List<Key<Group>>>();
        var configured = ranks(partitions.stream().map(Partition::getName).toList());
        keys.put("#P", List.of(number(group -> rank(configured, group.partition().getName()))));
        keys.put("#R", List.of(number(group -> rank(configured, group.partition().getName()))));
        keys.put("P", List.of(text(group -> group.partition().getName())));
        keys.put("R", List.of(text(group -> group.partition().getName())));
        keys.put("a", List.of(text(group -> group.partition().getState())));
        keys.put(
                "g",
                List.of(text(group -> String.join(",", group.partition().getAllowGroupsList()))));
        keys.put("h", List.of(text(group -> group.partition().getOversubscribe())));
        keys.put("l", List.of(number(group -> limit(group.partition()))));
        keys.put("p", List.of(number(group -> group.partition().getPriorityTier())));
        keys.put("I", List.of(number(group -> group.partition().getPriorityJobFactor())));
        keys.put("r", List.of(number(group -> group.partition().getRootOnly() ? 1 : 0)));
        keys.put("s", List.of(number(group -> group.partition().getMinNodes())));
        var counted =
                ranks(new Hostlist(nodes.stream().map(Node::getName).toList()).sorted().hosts());
        for (var letter : List.of("N", "#N", "n", "o")) {
            keys.put(
                    letter,
                    List.of(
                            number(group ->
                                    group.isEmpty() ? -1 : rank(counted, first(group).getName()))));
        }
        keys.put("A", List.of(number(group -> group.nodes().size())));
        keys.put("D", List.of(number(group -> group.nodes().size())));
        keys.put("F", List.of(number(group -> group.nodes().size())));
        keys.put("c", List.of(number(group -> group.least(Node::getCpus))));
        keys.put("C", List.of(number(group -> group.sum(Node::getCpus))));
        keys.put("d", List.of(number(group -> group.least(Node::getTmpMb))));
        keys.put("e", List.of(number(group -> group.least(Node::getFreeMemMb))));
        keys.put("m", List.of(number(group -> group.least(Node::getMemoryMb))));
        keys.put("O", List.of(number(group -> group.least(Node::getLoadHundredths))));
        keys.put("w", List.of(number(group -> group.least(Node::getWeight))));
        keys.put("X", List.of(number(group -> group.least(Node::getSockets))));
        keys.put("Y", List.of(number(group -> group.least(Node::getCoresPerSocket))));
        keys.put("Z", List.of(number(group -> group.least(Node::getThreadsPerCore))));
        keys.put("z", List.of(number(group -> group.least(Node::getSockets))));
        keys.put("E", List.of(ofNode(Node::getReason)));
        keys.put("u", List.of(ofNode(Node::getReasonUser)));
        keys.put("U", List.of(ofNode(Node::getReasonUser)));
        keys.put(
                "H",
                List.of(number(group -> group.isEmpty() ? 0 : first(group).getReasonMicros())));
        keys.put("f", List.of(ofNode(node -> String.join(",", node.getFeaturesList()))));
        keys.put("b", List.of(ofNode(node -> String.join(",", node.getActiveFeaturesList()))));
        keys.put("G", List.of(ofNode(Node::getGres)));
        keys.put("v", List.of(ofNode(Node::getVersion)));
        keys.put("t", List.of(number(GroupOrder::state)));
        keys.put("T", List.of(number(GroupOrder::state)));
        return SortKeys.parse(specification, keys);
    }

    private static Key<Group> ofNode(Function<Node, String> value) {
        return text(group -> group.shared(value, ""));
    }

    private static Node first(Group group) {
        return group.nodes().getFirst();
    }

    private static long state(Group group) {
        return group.isEmpty() ? -1 : group.state().number();
    }

    private static long limit(Partition partition) {
        return partition.getMaxTime().hasMinutes()
                ? Integer.toUnsignedLong(partition.getMaxTime().getMinutes())
                : Long.MAX_VALUE;
    }

    private static Map<String, Integer> ranks(List<String> names) {
        var ranks = new HashMap<String, Integer>();
        names.forEach(name -> ranks.putIfAbsent(name, ranks.size()));
        return ranks;
    }

    private static int rank(Map<String, Integer> ranks, String name) {
        return ranks.getOrDefault(name, ranks.size());
    }
}
