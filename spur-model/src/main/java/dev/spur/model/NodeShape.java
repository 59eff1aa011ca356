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

    /// More than any machine has; a number beyond it is a mistake.
    public static final int MOST_CPUS = 65_536;

    private static final long MOST_MEBIBYTES = 1L << 50;

    public NodeShape {
        gres = List.copyOf(gres);
        require(cpus, MOST_CPUS, "CPUs");
        require(boards, MOST_CPUS, "boards");
        require(sockets, MOST_CPUS, "sockets");
        require(coresPerSocket, MOST_CPUS, "cores per socket");
        require(threadsPerCore, MOST_CPUS, "threads per core");
        require(memoryMebibytes, MOST_MEBIBYTES, "MiB of memory");
        require(tmpDiskMebibytes, MOST_MEBIBYTES, "MiB of temporary disk");
    }

    private static void require(long number, long most, String what) {
        if (number < 0 || number > most) {
            throw new IllegalArgumentException("a node cannot have %d %s".formatted(number, what));
        }
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
