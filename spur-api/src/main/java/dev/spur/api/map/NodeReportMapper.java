package dev.spur.api.map;

import dev.spur.api.v1.Register;
import dev.spur.model.NodeGres;
import dev.spur.model.NodeReport;
import dev.spur.model.NodeShape;
import java.util.List;

public final class NodeReportMapper {
    private NodeReportMapper() {}

    public static NodeReport toModel(Register wire) {
        return new NodeReport(
                new NodeShape(
                        wire.getCpus(),
                        wire.getBoards(),
                        wire.getSockets(),
                        wire.getCoresPerSocket(),
                        wire.getThreadsPerCore(),
                        wire.getMemoryMb(),
                        wire.getTmpMb(),
                        gres(wire.getGresList())),
                wire.getAddress(),
                wire.getHostname(),
                wire.getBootId(),
                InstantMapper.ofMicros(wire.getBootMicros()),
                InstantMapper.ofMicros(wire.getStartedMicros()),
                wire.getArch(),
                wire.getOs(),
                wire.getVersion(),
                wire.getFeaturesList(),
                wire.getLabelsMap());
    }

    private static List<NodeGres> gres(List<dev.spur.api.v1.NodeGres> wire) {
        return wire.stream()
                .map(gres ->
                        new NodeGres(
                                gres.getName(),
                                gres.getType(),
                                gres.getCount(),
                                0,
                                gres.getFilesList(),
                                gres.getCores(),
                                gres.getLinks()))
                .toList();
    }
}
