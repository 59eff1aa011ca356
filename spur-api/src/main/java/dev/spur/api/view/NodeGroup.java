package dev.spur.api.view;

import dev.spur.api.v1.Node;
import dev.spur.api.v1.Partition;
import dev.spur.model.hostlist.Hostlist;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// Nodes of a partition that are listed as one, as `sinfo` does; possibly none.
public record NodeGroup(Partition partition, List<Node> nodes) {
    public NodeGroup {
        nodes = List.copyOf(nodes);
    }

    public static final EntityTable<NodeGroup> GROUPS =
            bounds(amounts(EntityTable.of("nodes", "sinfo")))
                    .words("", "nodes.nodes", "", group -> group.names(Node::getName))
                    .words("", "nodes.hostnames", "", group -> group.names(Node::getHostname))
                    .words("", "nodes.addresses", "", group -> group.names(Node::getAddress))
                    .words("", "node.state", "", group -> NodeTable.states(group.any()))
                    .text("", "reason.description", "", group -> group.any().getReason())
                    .text("", "reason.user", "", group -> group.any().getReasonUser())
                    .instant("", "reason.time", "", group -> group.any().getReasonMicros())
                    .text("", "gres.total", "", group -> group.any().getGres())
                    .text("", "gres.used", "", group -> group.any().getGresUsed())
                    .text("", "comment", "", group -> group.any().getComment())
                    .text("", "extra", "", group -> group.any().getExtra())
                    .text("", "reservation", "", group -> group.any().getReservation())
                    .count("", "port", "", group -> group.any().getPort())
                    .text(
                            "",
                            "features.total",
                            "",
                            group -> String.join(",", group.any().getFeaturesList()))
                    .text(
                            "",
                            "features.active",
                            "",
                            group -> String.join(",", group.any().getActiveFeaturesList()))
                    .field("", Field.Kind.TEXT, "cluster", "", (_, out) -> out.text(out.cluster()))
                    .part("partition", PartitionTable.PARTITIONS, NodeGroup::partition)
                    .build();

    private static EntityTable.Builder<NodeGroup> amounts(EntityTable.Builder<NodeGroup> table) {
        return table.number("", "nodes.allocated", "", NodeGroup::busyNodes)
                .number("", "nodes.idle", "", NodeGroup::idleNodes)
                .number("", "nodes.other", "", NodeGroup::otherNodes)
                .number("", "nodes.total", "", group -> group.nodes().size())
                .number("", "cpus.allocated", "", group -> group.sum(Node::getAllocCpus))
                .number("", "cpus.idle", "", group -> group.restOfCpus(true))
                .number("", "cpus.other", "", group -> group.restOfCpus(false))
                .number("", "cpus.total", "", group -> group.sum(Node::getCpus))
                .number("", "memory.allocated", "", group -> group.sum(Node::getAllocMemMb));
    }

    private static EntityTable.Builder<NodeGroup> bounds(EntityTable.Builder<NodeGroup> table) {
        bounds(table, "cpus", Node::getCpus);
        bounds(table, "cpus.load", Node::getLoadHundredths);
        bounds(table, "sockets", Node::getSockets);
        bounds(table, "cores", Node::getCoresPerSocket);
        bounds(table, "threads", Node::getThreadsPerCore);
        bounds(table, "disk", Node::getTmpMb);
        bounds(table, "memory", Node::getMemoryMb);
        bounds(table, "memory.free", Node::getFreeMemMb);
        bounds(table, "weight", Node::getWeight);
        return table;
    }

    private static void bounds(
            EntityTable.Builder<NodeGroup> table, String place, ToLongFunction<Node> value) {
        table.number("", place + ".minimum", "", group -> group.least(value));
        table.number("", place + ".maximum", "", group -> group.most(value));
    }

    private Node any() {
        return nodes.isEmpty() ? Node.getDefaultInstance() : nodes.getFirst();
    }

    private List<String> names(Function<Node, String> name) {
        return new Hostlist(nodes.stream().map(name).distinct().toList()).sorted().hosts();
    }

    private long least(ToLongFunction<Node> value) {
        return nodes.stream().mapToLong(value).min().orElse(0);
    }

    private long most(ToLongFunction<Node> value) {
        return nodes.stream().mapToLong(value).max().orElse(0);
    }

    private long sum(ToLongFunction<Node> value) {
        return nodes.stream().mapToLong(value).sum();
    }

    private long count(java.util.function.Predicate<Node> which) {
        return nodes.stream().filter(which).count();
    }

    /// Nodes on which something runs or is being cleaned up.
    public long busyNodes() {
        return count(NodeGroup::isBusy);
    }

    public long idleNodes() {
        return count(node -> isIdle(node) && !has(node, "DRAIN"));
    }

    public long otherNodes() {
        return nodes.size() - busyNodes() - idleNodes();
    }

    /// CPUs that nobody has, of nodes where somebody may get them or of the others.
    public long restOfCpus(boolean usable) {
        return nodes.stream()
                .filter(node -> usable == isUsable(node))
                .mapToLong(node -> Math.max(0, node.getCpus() - node.getAllocCpus()))
                .sum();
    }

    private static boolean isUsable(Node node) {
        return !has(node, "DRAIN")
                && !node.getState().equals("DOWN")
                && (isBusy(node) || isIdle(node));
    }

    private static boolean isBusy(Node node) {
        return has(node, "COMPLETING")
                || node.getState().equals("ALLOCATED")
                || node.getState().equals("MIXED");
    }

    private static boolean isIdle(Node node) {
        return node.getState().equals("IDLE") && !isBusy(node);
    }

    private static boolean has(Node node, String flag) {
        return node.getFlagsList().contains(flag);
    }
}
