package dev.spur.api.map;

import dev.spur.api.v1.GresAllocation;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.model.NodeShare;

public final class NodeShareMapper {
    private NodeShareMapper() {}

    /// @param address host:port of the agent's step service; empty if unknown
    public static NodeAllocation toWire(NodeShare share, int tasks, String address) {
        var wire =
                NodeAllocation.newBuilder()
                        .setNode(share.node())
                        .setCpus(share.cpus().size())
                        .setMemMb(share.memoryMebibytes())
                        .setCpuIds(share.cpus().toString())
                        .setTasks(tasks)
                        .setAddress(address);
        for (var gres : share.gres()) {
            wire.addGres(
                    GresAllocation.newBuilder()
                            .setName(gres.name())
                            .setType(gres.type())
                            .addAllIndices(gres.indices().toList()));
        }
        return wire.build();
    }
}
