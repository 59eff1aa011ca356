package dev.spur.engine.node;

import dev.spur.model.GresShare;
import dev.spur.model.IndexSet;
import dev.spur.model.NodeGres;
import dev.spur.model.NodeShare;
import java.util.ArrayList;
import java.util.List;

/// What of a node is given to jobs.
public record Usage(
        IndexSet cpus, long memoryMebibytes, List<GresShare> gres, int jobs, int completing) {
    public static final Usage NONE = new Usage(IndexSet.EMPTY, 0, List.of(), 0, 0);

    public Usage {
        gres = List.copyOf(gres);
    }

    public boolean isIdle() {
        return jobs == 0;
    }

    /// Devices of that name that are in use, of whatever type they were when they were given.
    public IndexSet devices(String name) {
        var devices = IndexSet.EMPTY;
        for (var share : gres) {
            if (share.name().equals(name)) {
                devices = devices.plus(share.indices());
            }
        }
        return devices;
    }

    /// Those of one kind of the node.
    public IndexSet devices(NodeGres kind) {
        return gres.isEmpty() ? IndexSet.EMPTY : devices(kind.name()).intersect(kind.indices());
    }

    public Usage plus(NodeShare share) {
        return new Usage(
                cpus.plus(share.cpus()),
                memoryMebibytes + share.memoryMebibytes(),
                merged(share.gres(), 1),
                jobs + 1,
                completing);
    }

    public Usage minus(NodeShare share) {
        return new Usage(
                cpus.minus(share.cpus()),
                memoryMebibytes - share.memoryMebibytes(),
                merged(share.gres(), -1),
                jobs - 1,
                completing);
    }

    /// The jobs stay, and with them their memory and devices.
    public Usage withoutCpus(IndexSet given) {
        return new Usage(cpus.minus(given), memoryMebibytes, gres, jobs, completing);
    }

    public Usage withCpus(IndexSet given) {
        return new Usage(cpus.plus(given), memoryMebibytes, gres, jobs, completing);
    }

    public Usage withCompleting(int change) {
        return new Usage(cpus, memoryMebibytes, gres, jobs, completing + change);
    }

    private List<GresShare> merged(List<GresShare> change, int sign) {
        if (change.isEmpty()) {
            return gres;
        }
        var result = new ArrayList<>(gres);
        for (var share : change) {
            var before = new GresShare(share.name(), share.type(), 0, IndexSet.EMPTY);
            var at = -1;
            for (var i = 0; i < result.size() && at < 0; i++) {
                if (result.get(i).name().equals(share.name())
                        && result.get(i).type().equals(share.type())) {
                    at = i;
                    before = result.get(i);
                }
            }
            var after =
                    new GresShare(
                            share.name(),
                            share.type(),
                            before.count() + sign * share.count(),
                            sign > 0
                                    ? before.indices().plus(share.indices())
                                    : before.indices().minus(share.indices()));
            if (at >= 0) {
                result.remove(at);
            }
            if (after.count() > 0) {
                result.add(at >= 0 ? at : result.size(), after);
            }
        }
        return result;
    }
}
