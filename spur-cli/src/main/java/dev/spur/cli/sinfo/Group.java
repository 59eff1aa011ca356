package dev.spur.cli.sinfo;

import dev.spur.api.v1.Node;
import dev.spur.api.v1.Partition;
import dev.spur.api.view.NodeGroup;
import dev.spur.model.hostlist.Hostlist;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// One line of sinfo: nodes of a partition that look alike. Possibly none: a partition whose nodes
/// were all filtered out still shows.
record Group(Partition partition, List<Node> nodes) {
    Group {
        nodes = List.copyOf(nodes);
    }

    NodeGroup counted() {
        return new NodeGroup(partition, nodes);
    }

    boolean isEmpty() {
        return nodes.isEmpty();
    }

    /// A text that all nodes of the group share.
    String shared(Function<Node, String> value, String without) {
        return isEmpty() ? without : value.apply(nodes.getFirst());
    }

    /// `n/a` for a group without nodes.
    NodeState state() {
        return NodeState.of(nodes.getFirst());
    }

    long least(ToLongFunction<Node> value) {
        return nodes.stream().mapToLong(value).min().orElse(0);
    }

    long most(ToLongFunction<Node> value) {
        return nodes.stream().mapToLong(value).max().orElse(0);
    }

    long sum(ToLongFunction<Node> value) {
        return nodes.stream().mapToLong(value).sum();
    }

    /// Compressed, in the order people count.
    String names(Function<Node, String> name) {
        return new Hostlist(nodes.stream().map(name).distinct().toList()).sorted().toString();
    }
}
