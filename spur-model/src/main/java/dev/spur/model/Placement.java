package dev.spur.model;

import java.util.List;

/// Where a job runs: its nodes in the order of the node list, and what each of them gives.
public record Placement(String partition, List<NodeShare> nodes) {
    public Placement {
        nodes = List.copyOf(nodes);
    }

    /// The node of the batch script.
    public NodeShare first() {
        return nodes.getFirst();
    }

    public List<String> nodeNames() {
        // Most jobs have one node, and this is asked at every change of every job.
        return nodes.size() == 1
                ? List.of(nodes.getFirst().node())
                : nodes.stream().map(NodeShare::node).toList();
    }

    public int cpus() {
        return nodes.stream().mapToInt(share -> share.cpus().size()).sum();
    }

    public long memoryMebibytes() {
        return nodes.stream().mapToLong(NodeShare::memoryMebibytes).sum();
    }

    public boolean uses(String node) {
        return nodes.stream().anyMatch(share -> share.node().equals(node));
    }
}
