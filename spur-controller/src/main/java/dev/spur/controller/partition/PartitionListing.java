package dev.spur.controller.partition;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.map.TimeLimitMapper;
import dev.spur.api.v1.ListPartitionsReply;
import dev.spur.api.v1.ListPartitionsRequest;
import dev.spur.api.v1.Partition;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Tres;
import dev.spur.model.hostlist.Hostlist;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.TreeMap;

public final class PartitionListing {
    private final ReplicatedState state;
    private final InstantSource clock;

    public PartitionListing(ReplicatedState state, InstantSource clock) {
        this.state = state;
        this.clock = clock;
    }

    public ListPartitionsReply list(ListPartitionsRequest request) {
        var snapshot = state.snapshot();
        var reply =
                ListPartitionsReply.newBuilder()
                        .setNowMicros(InstantMapper.toMicros(clock.instant()));
        snapshot.partitions().stream()
                .filter(partition ->
                        request.getNamesCount() == 0
                                || request.getNamesList().contains(partition.name()))
                .forEach(partition -> reply.addPartitions(view(partition, snapshot)));
        return reply.build();
    }

    public static Partition view(dev.spur.engine.site.Partition partition, Snapshot snapshot) {
        var spec = partition.spec();
        var view =
                Partition.newBuilder()
                        .setName(spec.name())
                        .setIsDefault(spec.isDefault())
                        .setState(spec.state().name())
                        .setMaxTime(TimeLimitMapper.toWire(spec.maxTime()))
                        .setDefaultTime(TimeLimitMapper.toWire(spec.defaultTime()))
                        .setMinNodes(spec.minNodes())
                        .setMaxNodes(spec.maxNodes())
                        .addAllAllowAccounts(spec.allowAccounts())
                        .addAllDenyAccounts(spec.denyAccounts())
                        .addAllAllowGroups(spec.allowGroups())
                        .addAllAllowQos(spec.allowQos())
                        .addAllDenyQos(spec.denyQos())
                        .setPriorityTier(spec.priorityTier())
                        .setPriorityJobFactor(spec.priorityJobFactor())
                        .setPreemptMode(spec.preemptMode())
                        .setDefMemPerCpuMb(spec.defaultMemoryPerCpu())
                        .setDefMemPerNodeMb(spec.defaultMemoryPerNode())
                        .setMaxMemPerCpuMb(spec.maxMemoryPerCpu())
                        .setMaxMemPerNodeMb(spec.maxMemoryPerNode())
                        .setOversubscribe(spec.oversubscribe())
                        .setHidden(spec.hidden())
                        .setRootOnly(spec.rootOnly())
                        .setGraceSeconds(spec.graceSeconds())
                        .setMaxCpusPerNode(spec.maxCpusPerNode())
                        .setQos(spec.qos());
        var names = new ArrayList<String>();
        var totals = new TreeMap<String, Long>();
        var sum = new long[2];
        partition
                .nodes()
                .forEach(index -> {
                    var node = snapshot.nodes().get(index);
                    if (node != null) {
                        names.add(node.name());
                        sum[0] += node.shape().cpus();
                        sum[1] += node.shape().memoryMebibytes();
                        node.shape()
                                .gres()
                                .forEach(gres ->
                                        Tres.addGres(
                                                totals, gres.name(), gres.type(), gres.count()));
                    }
                });
        return view.setNodes(new Hostlist(names).sorted().toString())
                .setTotalNodes(names.size())
                .setTotalCpus((int) sum[0])
                .setTres(new Tres(sum[0], sum[1], names.size(), sum[0], totals).toString())
                .build();
    }
}
