package dev.spur.engine.scheduling;

import dev.spur.engine.state.Demand;
import dev.spur.engine.state.Demand.GresDemand;
import dev.spur.model.GresShare;
import dev.spur.model.IndexSet;
import dev.spur.model.NodeShape;
import dev.spur.model.NodeShare;
import dev.spur.model.Placement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// What each chosen node gives: by number for a reservation, by CPU and device for a start.
final class Shares {
    private final Variant variant;
    private final NodeChoice.Chosen chosen;

    Shares(Variant variant, NodeChoice.Chosen chosen) {
        this.variant = variant;
        this.chosen = chosen;
    }

    /// Keeps the resources for that time.
    void reserve(int from, int to) {
        var demand = variant.demand();
        for (var i = 0; i < chosen.nodes().size(); i++) {
            var timeline = chosen.nodes().get(i);
            var tasks = chosen.tasks()[i];
            var before = TaskRoom.counts(timeline.shape);
            var left = before.clone();
            take(left, timeline.shape, i);
            for (var kind = 0; kind < before.length; kind++) {
                before[kind] -= left[kind];
            }
            timeline.reserve(
                    from,
                    to,
                    TaskRoom.cpus(demand, timeline.shape, tasks),
                    TaskRoom.memory(demand, timeline.shape, tasks),
                    before);
        }
    }

    /// Takes the resources from now on and says which they are.
    Placement start(String partition, int to) {
        var shares = new ArrayList<NodeShare>();
        for (var i = 0; i < chosen.nodes().size(); i++) {
            var timeline = chosen.nodes().get(i);
            var share = share(timeline, i);
            timeline.occupy(share, 0, to);
            shares.add(share);
        }
        return new Placement(partition, shares);
    }

    private NodeShare share(NodeTimeline timeline, int position) {
        var demand = variant.demand();
        var tasks = chosen.tasks()[position];
        var cpus = cores(timeline, (int) TaskRoom.cpus(demand, timeline.shape, tasks));
        return new NodeShare(
                timeline.node.name(),
                cpus,
                TaskRoom.memory(demand, timeline.shape, tasks),
                devices(timeline, position));
    }

    /// The lowest free CPUs, whole cores first.
    private static IndexSet cores(NodeTimeline timeline, int count) {
        var perCore = timeline.shape.cpusPerCore();
        var taken = new BitSet();
        for (var core = 0;
                core < timeline.shape.cpus() && taken.cardinality() < count;
                core += perCore) {
            if (timeline.freeCpus.nextClearBit(core) >= core + perCore) {
                taken.set(core, Math.min(core + perCore, core + count - taken.cardinality()));
            }
        }
        for (var cpu = timeline.freeCpus.nextSetBit(0);
                cpu >= 0 && taken.cardinality() < count;
                cpu = timeline.freeCpus.nextSetBit(cpu + 1)) {
            taken.set(cpu);
        }
        timeline.freeCpus.andNot(taken);
        return IndexSet.of(taken);
    }

    private List<GresShare> devices(NodeTimeline timeline, int position) {
        var shape = timeline.shape;
        var shares = new ArrayList<GresShare>();
        var before = free(timeline);
        var left = before.clone();
        take(left, shape, position);
        for (var kind = 0; kind < before.length; kind++) {
            var count = before[kind] - left[kind];
            if (count > 0) {
                var has = shape.gres().get(kind);
                shares.add(
                        new GresShare(
                                has.name(),
                                has.type(),
                                count,
                                lowest(timeline.freeDevices[kind], (int) count)));
            }
        }
        return shares;
    }

    private static IndexSet lowest(BitSet free, int count) {
        var taken = IndexSet.of(free).first(count);
        free.andNot(taken.toBitSet());
        return taken;
    }

    private static long[] free(NodeTimeline timeline) {
        var counts = new long[timeline.freeDevices.length];
        for (var kind = 0; kind < counts.length; kind++) {
            var has = timeline.shape.gres().get(kind);
            counts[kind] = has.countOnly() ? has.count() : timeline.freeDevices[kind].cardinality();
        }
        return counts;
    }

    /// Takes what the node at this position gives. An exclusive job has all devices of its nodes.
    private void take(long[] free, NodeShape shape, int position) {
        var demand = variant.demand();
        if (demand.exclusive()) {
            java.util.Arrays.fill(free, 0);
            return;
        }
        TaskRoom.take(free, shape, perNode(demand, position), 1);
        TaskRoom.take(free, shape, demand.gresPerTask(), chosen.tasks()[position]);
    }

    /// Of devices for the whole job, every node gets its equal part and the first ones what is left
    /// over.
    private List<GresDemand> perNode(Demand demand, int position) {
        if (variant.totals().isEmpty()) {
            return demand.gresPerNode();
        }
        var nodes = chosen.nodes().size();
        var parts =
                new ArrayList<>(
                        demand.gresPerNode()
                                .subList(0, demand.gresPerNode().size() - variant.totals().size()));
        for (var total : variant.totals()) {
            var part = total.count() / nodes + (position < total.count() % nodes ? 1 : 0);
            parts.add(new GresDemand(total.name(), total.type(), part));
        }
        return parts;
    }
}
