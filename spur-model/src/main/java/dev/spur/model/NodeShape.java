package dev.spur.model;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

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
    private static final int MOST_CPUS = 65_536;

    private static final long MOST_MEBIBYTES = 1L << 50;

    public NodeShape {
        gres = List.copyOf(gres);
    }

    /// What no machine can have of this; empty if all of it can be.
    public Optional<String> absurdity() {
        var counts = IntStream.of(cpus, boards, sockets, coresPerSocket, threadsPerCore);
        if (counts.anyMatch(count -> count < 0 || count > MOST_CPUS)) {
            return Optional.of("a node has between 0 and %d CPUs".formatted(MOST_CPUS));
        }
        if (!isAmount(memoryMebibytes) || !isAmount(tmpDiskMebibytes)) {
            return Optional.of("a node has between 0 and %d MiB".formatted(MOST_MEBIBYTES));
        }
        return gres.stream()
                .filter(one ->
                        one.count() < 0
                                || one.count() > (one.countOnly() ? MOST_MEBIBYTES : MOST_CPUS))
                .map(one -> "a node cannot have %d %s".formatted(one.count(), one.name()))
                .findFirst();
    }

    private static boolean isAmount(long mebibytes) {
        return mebibytes >= 0 && mebibytes <= MOST_MEBIBYTES;
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
