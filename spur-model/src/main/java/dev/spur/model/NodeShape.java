package dev.spur.model;

import java.util.List;

/// What a node has. In a configuration, zero means that the agent's word is taken.
public record NodeShape(
        int cpus,
        int boards,
        int sockets,
        int coresPerSocket,
        int threadsPerCore,
        long memoryMebibytes,
        long tmpDiskMebibytes,
        List<NodeGres> gres) {

    public static final NodeShape UNSTATED = new NodeShape(0, 0, 0, 0, 0, 0, 0, List.of());

    public NodeShape {
        gres = List.copyOf(gres);
    }

    /// One socket, one thread per core, no devices.
    public static NodeShape of(int cpus, long memoryMebibytes) {
        return new NodeShape(cpus, 1, 1, cpus, 1, memoryMebibytes, 0, List.of());
    }

    /// CPUs that are allocated together: the threads of a core.
    public int cpusPerCore() {
        return Math.max(1, threadsPerCore);
    }
}
