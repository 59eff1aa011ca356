package dev.spur.engine.admission;

import dev.spur.engine.admission.Admission.RefusedException;
import dev.spur.engine.demand.Demand;
import dev.spur.engine.demand.Demand.GresDemand;
import dev.spur.engine.node.NodeClass;
import dev.spur.engine.site.Partition;
import dev.spur.engine.site.Site;
import dev.spur.model.ErrorCode;
import dev.spur.model.MemoryRequest;
import dev.spur.model.PartitionSpec;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/// `max_mem_per_cpu` and `max_mem_per_node` of partitions. A job that wants more memory for a CPU
/// gets more CPUs instead (slurm.conf(5), `MaxMemPerCPU`); one that wants more of a node than a job
/// may have is refused. Of several partitions the strictest counts, since the job may land in each.
final class MemoryLimits {
    private final Site site;
    private final List<Partition> partitions;
    private final long perCpu;
    private final long perNode;

    MemoryLimits(Site site, List<Partition> partitions) {
        this.site = site;
        this.partitions = partitions;
        perCpu = strictest(PartitionSpec::maxMemoryPerCpu);
        perNode = strictest(PartitionSpec::maxMemoryPerNode);
    }

    private long strictest(ToLongFunction<PartitionSpec> limit) {
        return partitions.stream()
                .map(Partition::spec)
                .mapToLong(limit)
                .filter(mebibytes -> mebibytes > 0)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /// What the job is placed with; the demand as it is where no limit concerns it.
    Demand within(Demand demand) {
        return switch (demand.memory()) {
            case MemoryRequest.Unspecified _ -> demand;
            case MemoryRequest.WholeNode _ -> {
                require(!isAnyNodeLarger());
                yield demand;
            }
            case MemoryRequest.PerNode(var amount) -> {
                require(amount <= perNode);
                yield amount <= perCpu
                        ? demand
                        : demand.laidOut(
                                demand.cpusPerTask(),
                                demand.tasksPerNode(),
                                Math.max(demand.minCpusPerNode(), cpus(timesOver(amount))),
                                demand.memory());
            }
            case MemoryRequest.PerCpu(var amount) ->
                    withFewerTasksPerNode(amount <= perCpu ? demand : withMoreCpus(demand, amount));
            case MemoryRequest.PerGpu(var amount) -> {
                require(amount == 0 || gpusOfANode(demand) <= perNode / amount);
                yield demand;
            }
        };
    }

    private Demand withMoreCpus(Demand demand, long amount) {
        var times = timesOver(amount);
        return demand.laidOut(
                cpus(times * demand.cpusPerTask()),
                demand.tasksPerNode(),
                demand.minCpusPerNode(),
                new MemoryRequest.PerCpu((amount + times - 1) / times));
    }

    private Demand withFewerTasksPerNode(Demand demand) {
        if (perNode == Long.MAX_VALUE
                || !(demand.memory() instanceof MemoryRequest.PerCpu(var amount))
                || amount == 0) {
            return demand;
        }
        require(amount * demand.minCpusPerNode() <= perNode);
        var tasks = perNode / (amount * demand.cpusPerTask());
        require(tasks * demand.maxNodes() >= demand.tasks() && tasks >= demand.tasksOnEachNode());
        return demand.tasksPerNode() > 0 && demand.tasksPerNode() <= tasks
                ? demand
                : demand.laidOut(
                        demand.cpusPerTask(),
                        (int) Math.min(tasks, demand.tasks()),
                        demand.minCpusPerNode(),
                        demand.memory());
    }

    /// The most that one of the job's nodes may have.
    private long gpusOfANode(Demand demand) {
        var tasks = demand.tasksPerNode() > 0 ? demand.tasksPerNode() : demand.tasks();
        var asked =
                gpus(demand.gresPerNode())
                        + gpus(demand.gresPerJob())
                        + gpus(demand.gresPerTask()) * tasks;
        return Math.min(asked, gpusOfTheLargestNode());
    }

    private long gpusOfTheLargestNode() {
        return nodeClasses()
                .mapToLong(nodes ->
                        nodes.shape().gres().stream()
                                .filter(gres -> gres.name().equals("gpu"))
                                .mapToLong(gres -> gres.count())
                                .sum())
                .max()
                .orElse(0);
    }

    private static long gpus(List<GresDemand> devices) {
        return devices.stream()
                .filter(device -> device.name().equals("gpu"))
                .mapToLong(GresDemand::count)
                .sum();
    }

    private boolean isAnyNodeLarger() {
        return nodeClasses().anyMatch(nodes -> nodes.shape().memoryMebibytes() > perNode);
    }

    private Stream<NodeClass> nodeClasses() {
        return site.nodeClasses().stream()
                .filter(nodes ->
                        partitions.stream()
                                .anyMatch(partition ->
                                        partition.nodes().intersects(nodes.members())));
    }

    private long timesOver(long amount) {
        return (amount + perCpu - 1) / perCpu;
    }

    private static int cpus(long count) {
        require(count <= DemandReader.MOST_PER_NODE);
        return (int) count;
    }

    private static void require(boolean allowed) {
        if (!allowed) {
            throw new RefusedException(ErrorCode.INVALID_TASK_MEMORY);
        }
    }
}
