package dev.spur.controller.accounting;

import dev.spur.api.v1.ClusterRecord;
import dev.spur.api.v1.NodeRecord;
import dev.spur.api.v1.Record;
import dev.spur.api.v1.TresView;
import dev.spur.engine.node.Node;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.NumberedEvent;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.engine.tres.TresVector;
import dev.spur.model.hostlist.Hostlist;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeMap;

/// The nodes as they were recorded last. A node changes with every job that comes and goes; only
/// what counts for reports is told. What is known here follows from the state alone.
final class NodeBook {
    /// A record that names more nodes would be longer than what it tells.
    private static final int MOST_NAMED = 1024;

    private final TreeMap<String, Node> known = new TreeMap<>();
    private TresVector total = TresVector.ZERO;
    private TresRegistry registry = TresRegistry.EMPTY;

    static NodeBook of(Snapshot state) {
        var book = new NodeBook();
        book.registry = state.tres();
        state.nodes().forEach(node -> book.take(node, state.tres()));
        return book;
    }

    /// What the events of an entry mean, the cluster first: what others count by must be known.
    List<Record.Builder> changes(List<NumberedEvent> events, Snapshot state) {
        var touched = new LinkedHashSet<String>();
        var configured = false;
        for (var numbered : events) {
            if (numbered.event() instanceof Event.NodeChanged(var node)) {
                touched.add(node.name());
            }
            configured |= numbered.event() instanceof Event.ConfigApplied;
        }
        var before = total;
        var told = new ArrayList<Record.Builder>();
        for (var name : touched) {
            state.node(name).ifPresent(node -> update(node, state, told));
        }
        if (configured) {
            removeOthers(state, told);
        }
        if (configured || !before.equals(total) || !registry.equals(state.tres())) {
            registry = state.tres();
            told.addFirst(Record.newBuilder().setCluster(cluster(state)));
        }
        return told;
    }

    private void update(Node node, Snapshot state, List<Record.Builder> told) {
        var before = known.get(node.name());
        if (before != null
                && before.condition() == node.condition()
                && before.shape() == node.shape()) {
            return; // a job came or went
        }
        take(node, state.tres());
        var now = NodeRecords.of(node, state.tres());
        if (before == null || !NodeRecords.of(before, registry).equals(now)) {
            told.add(Record.newBuilder().setNode(now));
        }
    }

    private void take(Node node, TresRegistry counted) {
        var before = known.put(node.name(), node);
        total = total.plus(counted.vector(NodeRecords.tres(node.shape())));
        if (before != null) {
            total = total.minus(counted.vector(NodeRecords.tres(before.shape())));
        }
    }

    private void removeOthers(Snapshot state, List<Record.Builder> told) {
        for (var node : List.copyOf(known.values())) {
            if (state.node(node.name()).isEmpty()) {
                known.remove(node.name());
                total = total.minus(state.tres().vector(NodeRecords.tres(node.shape())));
                told.add(
                        Record.newBuilder()
                                .setNode(
                                        NodeRecord.newBuilder()
                                                .setName(node.name())
                                                .setRemoved(true)));
            }
        }
    }

    /// What the cluster has.
    ClusterRecord.Builder cluster(Snapshot state) {
        var record =
                ClusterRecord.newBuilder()
                        .setName(state.config().clusterName())
                        .putAllTres(total.amounts());
        state.tres()
                .ids()
                .forEach(id -> record.addRegistry(view(id, state.tres().name(id).orElseThrow())));
        if (known.size() <= MOST_NAMED) {
            record.setNodes(Hostlist.compress(List.copyOf(known.keySet())));
        }
        return record;
    }

    /// `gres/gpu:tesla` is of type `gres` and named `gpu:tesla`.
    private static TresView view(int id, String name) {
        var slash = name.indexOf('/');
        return TresView.newBuilder()
                .setId(id)
                .setType(slash < 0 ? name : name.substring(0, slash))
                .setName(slash < 0 ? "" : name.substring(slash + 1))
                .build();
    }
}
