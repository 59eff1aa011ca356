package dev.spur.controller.accounting;

import dev.spur.api.v1.NodeRecord;
import dev.spur.engine.node.Node;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.NodeShape;
import dev.spur.model.Tres;
import java.util.TreeMap;

/// A node as reports count it: whether it served, and what it has. Which jobs it runs is in their
/// records.
final class NodeRecords {
    private NodeRecords() {}

    static NodeRecord of(Node node, TresRegistry registry) {
        var note = node.note();
        var serves = serves(node);
        var record =
                NodeRecord.newBuilder()
                        .setName(node.name())
                        .setState(state(node))
                        .setServes(serves)
                        .putAllTres(registry.vector(tres(node.shape())).amounts());
        if (!serves) {
            record.setReason(note.text()).setReasonUid(note.uid()).setReasonUser(note.user());
        }
        return record.build();
    }

    /// Neither down nor drained nor silent.
    private static boolean serves(Node node) {
        return node.health() == Node.Health.UP && !node.draining() && node.silentSince() == null;
    }

    private static String state(Node node) {
        var base =
                switch (node.health()) {
                    case UNKNOWN -> "UNKNOWN";
                    case DOWN -> "DOWN";
                    case UP -> node.silentSince() == null ? "UP" : "DOWN*";
                };
        return node.draining() ? base.equals("UP") ? "DRAIN" : base + "+DRAIN" : base;
    }

    /// All that it has; CPUs are what is billed.
    static Tres tres(NodeShape shape) {
        var others = new TreeMap<String, Long>();
        shape.gres().forEach(gres -> Tres.addGres(others, gres.name(), gres.type(), gres.count()));
        return new Tres(shape.cpus(), shape.memoryMebibytes(), 1, shape.cpus(), others);
    }
}
