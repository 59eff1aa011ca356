package dev.spur.model;

import java.util.List;

/// What one node gives to a job or a step. CPU ids are abstract: socket by socket, core by core,
/// thread by thread, counted from 0.
public record NodeShare(String node, IndexSet cpus, long memoryMebibytes, List<GresShare> gres) {
    public NodeShare {
        gres = List.copyOf(gres);
    }

    /// What a job that is suspended keeps.
    public NodeShare withoutCpus() {
        return new NodeShare(node, IndexSet.EMPTY, memoryMebibytes, gres);
    }
}
