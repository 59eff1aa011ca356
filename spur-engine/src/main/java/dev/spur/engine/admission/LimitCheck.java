package dev.spur.engine.admission;

import dev.spur.engine.admission.Admission.RefusedException;
import dev.spur.engine.demand.Demand;
import dev.spur.engine.demand.Feasibility;
import dev.spur.engine.demand.TaskRoom;
import dev.spur.engine.site.Partition;
import dev.spur.engine.site.Site;
import dev.spur.model.ClusterRules;
import dev.spur.model.ErrorCode;
import dev.spur.model.MemoryRequest;
import dev.spur.model.NodeShape;
import dev.spur.model.notation.TimeLimit;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What a partition's limits and nodes say about a demand. Some of it is refused always (no node
/// will ever have it), some only where limits are enforced at submission; otherwise the job waits
/// and its reason says why.
final class LimitCheck {
    private final Site site;
    private final List<Partition> partitions;
    private final Demand demand;
    private final TimeLimit limit;

    LimitCheck(Site site, List<Partition> partitions, Demand demand, TimeLimit limit) {
        this.site = site;
        this.partitions = partitions;
        this.demand = demand;
        this.limit = limit;
    }

    void check() {
        if (!demand.required().isEmpty() && partitions.stream().noneMatch(this::hasRequiredNodes)) {
            throw new RefusedException(ErrorCode.NODES_NOT_IN_PARTITION);
        }
        if (site.nodeClasses().isEmpty()) {
            return;
        }
        if (partitions.stream().noneMatch(partition -> someNode(partition, this::hasMemory))) {
            throw new RefusedException(
                    ErrorCode.NODE_CONFIG_UNAVAILABLE, "Memory specification can not be satisfied");
        }
        if (partitions.stream().noneMatch(partition -> someNode(partition, this::hasDevices))) {
            throw new RefusedException(ErrorCode.NODE_CONFIG_UNAVAILABLE);
        }
        if (partitions.stream().noneMatch(this::mayRunSomeDay)) {
            throw new RefusedException(ErrorCode.NODE_CONFIG_UNAVAILABLE, whatIsMissing());
        }
        var enforce = site.config().rules().enforcePartitionLimits();
        if (enforce == ClusterRules.EnforcePartitionLimits.NO) {
            return;
        }
        RefusedException first = null;
        var allowed = 0;
        for (var partition : partitions) {
            var obstacle = obstacle(partition);
            allowed += obstacle == null ? 1 : 0;
            first = first == null ? obstacle : first;
        }
        var tooFew =
                enforce == ClusterRules.EnforcePartitionLimits.ALL
                        ? allowed < partitions.size()
                        : allowed == 0;
        if (tooFew && first != null) {
            throw first;
        }
    }

    private @Nullable RefusedException obstacle(Partition partition) {
        var rules = partition.spec();
        if (limit.compareTo(rules.maxTime()) > 0) {
            return new RefusedException(ErrorCode.INVALID_TIME_LIMIT);
        }
        if (rules.maxNodes() > 0 && demand.minNodes() > rules.maxNodes()) {
            return new RefusedException(ErrorCode.INVALID_NODE_COUNT);
        }
        return Feasibility.ever(site, partition, demand)
                ? null
                : new RefusedException(ErrorCode.TOO_MANY_CPUS);
    }

    /// As Slurm has it, a job that is larger than its partition waits for the partition to grow,
    /// and one that its nodes could never hold is refused.
    private boolean mayRunSomeDay(Partition partition) {
        var members = partition.nodes();
        var cpus = 0L;
        for (var nodes : site.nodeClasses()) {
            var count = nodes.members().intersect(members).size();
            if (count > 0 && isUnknown(nodes.shape())) {
                return true;
            }
            cpus += (long) count * nodes.shape().cpus();
        }
        return demand.minNodes() > members.size()
                || demand.cpus() > cpus
                || Feasibility.ever(site, partition, demand);
    }

    /// Nodes that nobody has described yet may turn out to have anything.
    private static boolean isUnknown(NodeShape shape) {
        return shape.memoryMebibytes() == 0;
    }

    private String whatIsMissing() {
        if (partitions.stream()
                .noneMatch(partition ->
                        someNode(
                                partition,
                                shape ->
                                        shape.tmpDiskMebibytes()
                                                >= demand.needs().tmpDiskMebibytes()))) {
            return "Temporary disk specification can not be satisfied";
        }
        if (partitions.stream()
                .noneMatch(partition -> someNode(partition, this::hasSocketsAndCores))) {
            return "Socket, core and/or thread specification can not be satisfied";
        }
        var cpus =
                Math.max(demand.overcommit() ? 1 : demand.cpusPerTask(), demand.minCpusPerNode());
        return partitions.stream()
                        .noneMatch(partition -> someNode(partition, shape -> shape.cpus() >= cpus))
                ? "CPU count per node can not be satisfied"
                : ErrorCode.NODE_CONFIG_UNAVAILABLE.text();
    }

    private boolean hasRequiredNodes(Partition partition) {
        return demand.required().stream()
                .allMatch(name ->
                        site.node(name)
                                .filter(node -> partition.nodes().contains(node.index()))
                                .isPresent());
    }

    private boolean someNode(Partition partition, Predicate<NodeShape> test) {
        var members = partition.nodes();
        return members.isEmpty()
                || site.nodeClasses().stream()
                        .anyMatch(nodes ->
                                nodes.members().intersects(members) && test.test(nodes.shape()));
    }

    private boolean hasMemory(NodeShape shape) {
        if (isUnknown(shape)) {
            return true;
        }
        return switch (demand.memory()) {
            case MemoryRequest.Unspecified _, MemoryRequest.WholeNode _, MemoryRequest.PerGpu _ ->
                    true;
            case MemoryRequest.PerNode(var amount) -> amount <= shape.memoryMebibytes();
            case MemoryRequest.PerCpu(var amount) -> amount <= shape.memoryMebibytes();
        };
    }

    private boolean hasSocketsAndCores(NodeShape shape) {
        return shape.sockets() >= demand.needs().socketsPerNode()
                && shape.coresPerSocket() >= demand.needs().coresPerSocket()
                && shape.threadsPerCore() >= demand.threadsPerCore();
    }

    private boolean hasDevices(NodeShape shape) {
        return demand.gresPerNode().isEmpty() && demand.gresPerTask().isEmpty()
                || TaskRoom.hasDevices(demand, shape);
    }
}
