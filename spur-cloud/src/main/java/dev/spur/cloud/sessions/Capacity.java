package dev.spur.cloud.sessions;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What the nodes have. Asked for at most every other second, however many people look.
public final class Capacity {
    private static final Duration FRESH = Duration.ofSeconds(2);
    private static final int USUAL_CPUS = 4;
    private static final int USUAL_CPUS_WITH_GPU = 8;

    private final Backend backend;
    private final InstantSource clock;
    private List<NodeOffer> nodes = List.of();
    private @Nullable Instant asked;

    public Capacity(Backend backend, InstantSource clock) {
        this.backend = backend;
        this.clock = clock;
    }

    /// All GPUs of a type.
    ///
    /// @param memoryMb of one; 0: not known
    /// @param largest how many one node has: nobody gets more of them in one session
    public record Pool(
            String gpuType,
            int total,
            int available,
            int allocated,
            long memoryMb,
            int largest,
            List<PoolNode> nodes) {}

    public record PoolNode(String name, int totalGpus, int availableGpus, String state) {}

    /// What a session takes of a node beside GPUs.
    public record Share(int cpus, long memoryMb) {}

    public synchronized List<NodeOffer> nodes() {
        var now = clock.instant();
        if (asked == null || now.isAfter(asked.plus(FRESH)) || now.isBefore(asked)) {
            nodes = backend.nodes().stream().sorted(Comparator.comparing(NodeOffer::name)).toList();
            asked = now;
        }
        return nodes;
    }

    /// By type, and each type's nodes by name: lists do not jump about when somebody looks again.
    public List<Pool> pools() {
        var nodesOf = new TreeMap<String, List<NodeOffer>>();
        for (var node : nodes()) {
            for (var type : node.gpus().keySet()) {
                nodesOf.computeIfAbsent(type, _ -> new ArrayList<>()).add(node);
            }
        }
        var pools = new ArrayList<Pool>();
        nodesOf.forEach((type, those) -> pools.add(pool(type, those)));
        return pools;
    }

    private static Pool pool(String type, List<NodeOffer> nodes) {
        var total = 0;
        var taken = 0;
        var largest = 0;
        var shown = new ArrayList<PoolNode>();
        for (var node : nodes) {
            var gpus = node.gpus().get(type);
            if (gpus == null) {
                continue;
            }
            var free = node.usable() ? Math.max(0, gpus.total() - gpus.taken()) : 0;
            if (node.usable()) {
                total += gpus.total();
                taken += gpus.taken();
                largest = Math.max(largest, gpus.total());
            }
            shown.add(new PoolNode(node.name(), gpus.total(), free, node.state()));
        }
        return new Pool(type, total, Math.max(0, total - taken), taken, 0, largest, shown);
    }

    /// What a session gets that does not say: its GPUs' part of the smallest node that has them, so
    /// that as many sessions fit on a node as it has GPUs.
    public Share usual(@Nullable String partition, String gpuType, int gpuCount) {
        var most = gpuCount > 0 ? USUAL_CPUS_WITH_GPU : USUAL_CPUS;
        var cpus = most;
        var memory = Long.MAX_VALUE;
        for (var node : inPartition(partition)) {
            var parts = gpuCount > 0 ? node.gpus(gpuType) : 1;
            if (parts < Math.max(1, gpuCount)) {
                continue;
            }
            var wanted = Math.max(1, gpuCount);
            var cpuPart = gpuCount > 0 ? node.cpus() * wanted / parts : node.cpus();
            cpus = Math.clamp(cpuPart, 1, cpus);
            memory =
                    Math.min(
                            memory,
                            gpuCount > 0
                                    ? node.memoryMb() * wanted / parts
                                    : node.memoryMb() * cpus / Math.max(1, node.cpus()));
        }
        return new Share(cpus, memory == Long.MAX_VALUE ? 0 : memory);
    }

    /// Why no node that exists could ever hold this, busy or not; empty: some could.
    public Optional<String> misfit(
            @Nullable String partition,
            String gpuType,
            int gpuCount,
            int cpus,
            long memoryMb,
            long diskMb) {
        var all = nodes();
        if (all.isEmpty()) {
            return Optional.of("The cluster has no nodes.");
        }
        var nodes = inPartition(partition);
        if (nodes.isEmpty()) {
            return Optional.of("The partition %s has no nodes.".formatted(partition));
        }
        var most = nodes.stream().mapToInt(node -> node.gpus(gpuType)).max().orElse(0);
        if (gpuCount > 0 && most == 0) {
            return Optional.of(
                    "No node has GPUs of the type %s; there are: %s."
                            .formatted(gpuType, String.join(", ", types(nodes))));
        }
        if (gpuCount > most && gpuCount > 0) {
            return Optional.of(
                    "%d GPUs of the type %s were asked for; no node has more than %d."
                            .formatted(gpuCount, gpuType, most));
        }
        var fits =
                nodes.stream()
                        .anyMatch(node ->
                                (gpuCount == 0 || node.gpus(gpuType) >= gpuCount)
                                        && node.cpus() >= cpus
                                        && node.memoryMb() >= memoryMb
                                        && (diskMb == 0 || node.diskMb() >= diskMb));
        return fits
                ? Optional.empty()
                : Optional.of(
                        "No node with %d GPUs of this type has %d CPUs, %d MB of memory and %d MB of disk."
                                .formatted(gpuCount, cpus, memoryMb, diskMb));
    }

    private static List<String> types(List<NodeOffer> nodes) {
        var types =
                nodes.stream()
                        .flatMap(node -> node.gpus().keySet().stream())
                        .distinct()
                        .sorted()
                        .toList();
        return types.isEmpty() ? List.of("none") : types;
    }

    private List<NodeOffer> inPartition(@Nullable String partition) {
        return nodes().stream()
                .filter(node -> partition == null || node.partitions().contains(partition))
                .toList();
    }
}
