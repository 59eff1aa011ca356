package dev.spur.model;

import dev.spur.model.notation.Text;
import java.util.HashMap;
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
            return Optional.of(Text.of("a node has between 0 and %d CPUs", MOST_CPUS));
        }
        if (!isAmount(memoryMebibytes) || !isAmount(tmpDiskMebibytes)) {
            return Optional.of(Text.of("a node has between 0 and %d MiB", MOST_MEBIBYTES));
        }
        var devices = 0L;
        for (var kind : gres) {
            devices += Math.clamp(kind.count(), 0, MOST_CPUS);
        }
        if (devices > MOST_CPUS) {
            return Optional.of(Text.of("a node has at most %d devices", MOST_CPUS));
        }
        return gres.stream()
                .filter(one -> one.count() < 0 || one.count() > MOST_CPUS)
                .map(one -> Text.of("a node cannot have %d %s", one.count(), one.name()))
                .findFirst();
    }

    /// The same with its devices numbered kind after kind, as an agent numbers them.
    public NodeShape numbered() {
        return withGres(numbered(gres));
    }

    public static List<NodeGres> numbered(List<NodeGres> kinds) {
        var next = new HashMap<String, Integer>();
        return kinds.stream()
                .map(kind -> {
                    var numbered = kind.from(next.getOrDefault(kind.name(), 0));
                    next.put(kind.name(), numbered.end());
                    return numbered;
                })
                .toList();
    }

    /// The devices of a name and type.
    public IndexSet devices(String name, String type) {
        var devices = IndexSet.EMPTY;
        for (var kind : gres) {
            if (kind.name().equals(name) && kind.type().equals(type)) {
                devices = devices.plus(kind.indices());
            }
        }
        return devices;
    }

    private NodeShape withGres(List<NodeGres> kinds) {
        return new NodeShape(
                cpus,
                boards,
                sockets,
                coresPerSocket,
                threadsPerCore,
                memoryMebibytes,
                tmpDiskMebibytes,
                kinds);
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
