package dev.spur.testkit.simulated;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.IndexSet;
import dev.spur.model.NodeShare;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Whatever a node has belongs to one job at most: each CPU and each device by its number, memory
/// by its amount. A job that stands still has its memory and its devices, and no CPU. Counted from
/// the jobs alone: what the state itself counts may be wrong.
final class Books {
    private final Set<String> taken = new HashSet<>();
    private final Map<String, IndexSet> cpus = new HashMap<>();
    private final Map<String, Long> memory = new HashMap<>();
    private final Map<String, Integer> jobs = new HashMap<>();

    private Books() {}

    static void check(Snapshot cluster) {
        var books = new Books();
        for (var job : cluster.jobs()) {
            sharesOf(job).forEach(share -> books.take(job, share));
        }
        books.compare(cluster);
    }

    private void take(Job job, NodeShare share) {
        for (var cpu : share.cpus().toList()) {
            take(job, share.node() + " CPU " + cpu);
        }
        cpus.merge(share.node(), share.cpus(), IndexSet::plus);
        for (var gres : share.gres()) {
            for (var index : gres.indices().toList()) {
                take(job, "%s %s %d".formatted(share.node(), gres.name(), index));
            }
        }
        memory.merge(share.node(), share.memoryMebibytes(), Long::sum);
        jobs.merge(share.node(), 1, Integer::sum);
    }

    private void take(Job job, String thing) {
        if (!taken.add(thing)) {
            throw new AssertionError(
                    "%s was given to job %s and to another".formatted(thing, job.shownId()));
        }
    }

    private void compare(Snapshot cluster) {
        for (var node : cluster.nodes()) {
            long used = memory.getOrDefault(node.name(), 0L);
            int here = jobs.getOrDefault(node.name(), 0);
            if (used > node.shape().memoryMebibytes()) {
                throw new AssertionError(
                        "%s has %d MiB and gave %d"
                                .formatted(node.name(), node.shape().memoryMebibytes(), used));
            }
            if (node.usage().memoryMebibytes() != used || node.usage().jobs() != here) {
                throw new AssertionError(
                        "%s has %d jobs with %d MiB, but its books say %s"
                                .formatted(node.name(), here, used, node.usage()));
            }
            var given = cpus.getOrDefault(node.name(), IndexSet.EMPTY);
            if (!node.usage().cpus().equals(given)) {
                throw new AssertionError(
                        "%s gave the CPUs %s, but its books say %s"
                                .formatted(node.name(), given, node.usage()));
            }
        }
    }

    private static List<NodeShare> sharesOf(Job job) {
        return switch (job.phase()) {
            case JobPhase.Pending _, JobPhase.Ended _ -> List.of();
            case JobPhase.Running running -> running.placement().nodes();
            case JobPhase.Suspended suspended -> withoutCpus(suspended.placement().nodes());
            case JobPhase.Completing phase -> {
                var left =
                        phase.placement().nodes().stream()
                                .filter(share -> phase.remaining().contains(share.node()))
                                .toList();
                yield phase.cleaning().cpusFree() ? withoutCpus(left) : left;
            }
        };
    }

    private static List<NodeShare> withoutCpus(List<NodeShare> shares) {
        return shares.stream().map(NodeShare::withoutCpus).toList();
    }
}
