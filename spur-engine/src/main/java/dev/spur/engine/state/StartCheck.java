package dev.spur.engine.state;

import dev.spur.model.NodeShare;
import dev.spur.model.Placement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Whether a start that was decided on an older snapshot still fits. Resources are never given
/// twice, whatever the scheduler thought.
final class StartCheck {
    private StartCheck() {}

    /// What stands in the way; null if nothing does.
    static @Nullable String obstacle(Tables tables, Job job, Placement placement) {
        var queueing = job.queueing();
        if (!job.isPending()) {
            return "job %s is no longer pending".formatted(job.id());
        }
        if (queueing.isHeld()
                || !queueing.dependencies().isEmpty()
                || queueing.notBefore() != null) {
            return "job %s may not start yet".formatted(job.id());
        }
        if (job.array() != null && isThrottled(tables.ledgerOf(job))) {
            return "array %s already runs as many tasks as it may".formatted(job.array().array());
        }
        if (placement.nodes().isEmpty()) {
            return "job %s was given no node".formatted(job.id());
        }
        if (Set.copyOf(placement.nodeNames()).size() < placement.nodes().size()) {
            return "job %s was given a node twice".formatted(job.id());
        }
        for (var share : placement.nodes()) {
            var obstacle = obstacle(tables, share);
            if (obstacle != null) {
                return obstacle;
            }
        }
        return null;
    }

    static boolean isThrottled(ArrayLedger ledger) {
        var throttle = ledger.spec().throttle();
        return throttle.isPresent() && ledger.active() >= throttle.getAsInt();
    }

    private static @Nullable String obstacle(Tables tables, NodeShare share) {
        var node = tables.node(share.node()).orElse(null);
        if (node == null || !node.isSchedulable()) {
            return "node %s is not in service".formatted(share.node());
        }
        var usage = node.usage();
        if (share.cpus().isEmpty()
                || share.cpus().intersects(usage.cpus())
                || share.cpus().next(node.shape().cpus()) >= 0) {
            return "CPUs of node %s are taken".formatted(share.node());
        }
        if (share.memoryMebibytes() < 0
                || share.memoryMebibytes()
                        > node.shape().memoryMebibytes() - usage.memoryMebibytes()) {
            return "memory of node %s is taken".formatted(share.node());
        }
        for (var gres : share.gres()) {
            if (gres.count() < 0
                    || gres.indices().intersects(usage.devices(gres.name(), gres.type()))
                    || gres.count()
                            > has(node, gres.name(), gres.type())
                                    - usage.count(gres.name(), gres.type())) {
                return "%s of node %s are taken".formatted(gres.name(), share.node());
            }
        }
        return null;
    }

    private static long has(Node node, String name, String type) {
        return node.shape().gres().stream()
                .filter(gres -> gres.name().equals(name) && gres.type().equals(type))
                .mapToLong(gres -> gres.count())
                .sum();
    }
}
