package dev.spur.engine.scheduling;

import dev.spur.engine.demand.TaskRoom;
import dev.spur.engine.node.Node;
import dev.spur.engine.node.Usage;
import dev.spur.model.GresShare;
import dev.spur.model.IndexSet;
import dev.spur.model.NodeShape;
import dev.spur.model.NodeShare;
import java.util.ArrayList;
import java.util.List;

/// What is free of a node while a pass goes on: as the snapshot has it, less what the pass gave.
final class FreeNode {
    /// The place in the order in which nodes are filled.
    final int position;

    /// The place in node lists.
    final int rank;

    /// Which [dev.spur.engine.node.NodeClass] it belongs to.
    final int kind;

    Node node;
    int cpus;
    long memory;
    long[] gres = {};

    private Usage usage = Usage.NONE;

    FreeNode(int position, int rank, int kind, Node node) {
        this.position = position;
        this.rank = rank;
        this.kind = kind;
        this.node = node;
        load(node);
    }

    NodeShape shape() {
        return node.shape();
    }

    String name() {
        return node.name();
    }

    void load(Node row) {
        node = row;
        usage = row.usage();
        count();
    }

    /// What is free now.
    private void count() {
        var shape = shape();
        cpus = shape.cpus() - usage.cpus().size();
        memory = shape.memoryMebibytes() - usage.memoryMebibytes();
        gres = TaskRoom.counts(shape);
        for (var kind = 0; kind < gres.length; kind++) {
            gres[kind] -= usage.devices(shape.gres().get(kind)).size();
        }
    }

    /// Gives so many tasks what they need.
    ///
    /// @param ofJob how many of each device wanted by the whole job
    NodeShare take(TaskRoom room, int tasks, long[] ofJob) {
        var jobGpus = room.gpusAmong(ofJob);
        var count = room.cpus(tasks, jobGpus);
        var taken = room.take(tasks, ofJob, gres, 0);
        var share =
                new NodeShare(
                        name(),
                        IndexSet.range(0, shape().cpus()).minus(usage.cpus()).first(count),
                        room.memory(tasks, jobGpus),
                        devices(taken));
        usage = usage.plus(share);
        cpus -= count;
        memory -= share.memoryMebibytes();
        for (var kind = 0; kind < taken.length; kind++) {
            gres[kind] -= taken[kind];
        }
        return share;
    }

    /// What was taken after all is not.
    void giveBack(NodeShare share) {
        usage = usage.minus(share);
        count();
    }

    private List<GresShare> devices(long[] taken) {
        if (taken.length == 0) {
            return List.of();
        }
        var shares = new ArrayList<GresShare>();
        for (var kind = 0; kind < taken.length; kind++) {
            if (taken[kind] > 0) {
                var device = shape().gres().get(kind);
                var indices =
                        device.indices()
                                .minus(usage.devices(device.name()))
                                .first((int) taken[kind]);
                shares.add(new GresShare(device.name(), device.type(), taken[kind], indices));
            }
        }
        return shares;
    }
}
