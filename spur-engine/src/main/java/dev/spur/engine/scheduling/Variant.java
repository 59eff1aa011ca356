package dev.spur.engine.scheduling;

import dev.spur.engine.state.Demand;
import dev.spur.engine.state.Demand.GresDemand;
import java.util.ArrayList;
import java.util.List;

/// One way to meet a demand. Devices that are counted over the whole job (`--gpus`) are met by an
/// equal number on each node, so there is one way for each number of nodes; everything else has a
/// single way.
///
/// @param demand without devices for the whole job
/// @param totals those devices: what the nodes together get in the end
record Variant(Demand demand, List<GresDemand> totals) {
    private static final int MOST = 64;

    static List<Variant> of(Demand demand) {
        if (demand.gresPerJob().isEmpty()) {
            return List.of(new Variant(demand, List.of()));
        }
        var fewest = demand.gresPerJob().stream().mapToLong(GresDemand::count).min().orElse(1);
        var most =
                Math.min(
                        Math.min(demand.maxNodes(), demand.minNodes() + MOST),
                        Math.max(fewest, demand.minNodes()));
        var variants = new ArrayList<Variant>();
        for (var nodes = demand.minNodes(); nodes <= most; nodes++) {
            variants.add(onNodes(demand, nodes));
        }
        return variants;
    }

    private static Variant onNodes(Demand demand, int nodes) {
        var perNode = new ArrayList<>(demand.gresPerNode());
        for (var total : demand.gresPerJob()) {
            perNode.add(
                    new GresDemand(
                            total.name(), total.type(), (total.count() + nodes - 1) / nodes));
        }
        var even =
                new Demand(
                        nodes,
                        nodes,
                        Math.max(demand.tasks(), nodes),
                        demand.cpusPerTask(),
                        demand.balanced(),
                        demand.tasksPerNode(),
                        demand.minCpusPerNode(),
                        demand.socketsPerNode(),
                        demand.coresPerSocket(),
                        demand.threadsPerCore(),
                        demand.memory(),
                        demand.tmpDiskMebibytes(),
                        perNode,
                        List.of(),
                        demand.gresPerTask(),
                        demand.cpusPerGpu(),
                        demand.features(),
                        demand.required(),
                        demand.excluded(),
                        demand.exclusive(),
                        demand.overcommit(),
                        demand.widest());
        return new Variant(even, demand.gresPerJob());
    }
}
