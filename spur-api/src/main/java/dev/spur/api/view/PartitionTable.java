package dev.spur.api.view;

import static dev.spur.api.view.EntityTable.unsigned;

import dev.spur.api.v1.Partition;
import java.util.List;

/// What there is to see of a partition.
public final class PartitionTable {
    public static final EntityTable<Partition> PARTITIONS =
            EntityTable.<Partition>of("partition", "partition_info")
                    .text("name", "name", "name", Partition::getName)
                    .flag(
                            "default",
                            "",
                            "whether jobs go here that name none",
                            Partition::getIsDefault)
                    .text("state", "", "UP, DOWN, DRAIN or INACTIVE", PartitionTable::state)
                    .words("", "partition.state", "", partition -> List.of(state(partition)))
                    .text("nodes", "nodes.configured", "nodes", Partition::getNodes)
                    .count("node_count", "nodes.total", "number of nodes", Partition::getTotalNodes)
                    .count("cpus", "cpus.total", "CPUs", Partition::getTotalCpus)
                    .tres("tres", "", "resources", Partition::getTres)
                    .text("", "tres.configured", "", Partition::getTres)
                    .limit(
                            "max_time",
                            "maximums.time",
                            "most minutes of a job",
                            Partition::getMaxTime)
                    .limit(
                            "default_time",
                            "defaults.time",
                            "minutes of a job that says none",
                            Partition::getDefaultTime)
                    .count(
                            "min_nodes",
                            "minimums.nodes",
                            "fewest nodes of a job",
                            Partition::getMinNodes)
                    .field(
                            "max_nodes",
                            Field.Kind.NUMBER,
                            "maximums.nodes",
                            "most nodes of a job",
                            (partition, out) -> orUnlimited(unsigned(partition.getMaxNodes()), out))
                    .field(
                            "max_cpus_per_node",
                            Field.Kind.NUMBER,
                            "maximums.cpus_per_node",
                            "most CPUs on each node",
                            (partition, out) ->
                                    orUnlimited(unsigned(partition.getMaxCpusPerNode()), out))
                    .words(
                            "allowed_accounts",
                            "accounts.allowed",
                            "accounts that may use it; none: all",
                            Partition::getAllowAccountsList)
                    .words(
                            "denied_accounts",
                            "accounts.deny",
                            "accounts that may not",
                            Partition::getDenyAccountsList)
                    .words(
                            "allowed_groups",
                            "groups.allowed",
                            "groups that may use it; none: all",
                            Partition::getAllowGroupsList)
                    .words(
                            "allowed_qos",
                            "qos.allowed",
                            "QOS that may use it; none: all",
                            Partition::getAllowQosList)
                    .words("denied_qos", "qos.deny", "QOS that may not", Partition::getDenyQosList)
                    .count(
                            "tier",
                            "priority.tier",
                            "who is higher comes first",
                            Partition::getPriorityTier)
                    .count(
                            "priority_factor",
                            "priority.job_factor",
                            "part of its jobs' priority",
                            Partition::getPriorityJobFactor)
                    .text("preempt_mode", "", "how its jobs make room", Partition::getPreemptMode)
                    .count(
                            "grace_seconds",
                            "grace_time",
                            "time they have for that",
                            Partition::getGraceSeconds)
                    .positive(
                            "default_memory_per_cpu_mb",
                            "defaults.partition_memory_per_cpu",
                            "memory for each CPU of a job that says none, in MiB",
                            Partition::getDefMemPerCpuMb)
                    .number("", "defaults.memory_per_cpu", "", Partition::getDefMemPerCpuMb)
                    .positive(
                            "default_memory_per_node_mb",
                            "defaults.partition_memory_per_node",
                            "memory on each node of a job that says none, in MiB",
                            Partition::getDefMemPerNodeMb)
                    .positive(
                            "max_memory_per_cpu_mb",
                            "maximums.partition_memory_per_cpu",
                            "most memory for each CPU, in MiB",
                            Partition::getMaxMemPerCpuMb)
                    .number("", "maximums.memory_per_cpu", "", Partition::getMaxMemPerCpuMb)
                    .positive(
                            "max_memory_per_node_mb",
                            "maximums.partition_memory_per_node",
                            "most memory on each node, in MiB",
                            Partition::getMaxMemPerNodeMb)
                    .text(
                            "oversubscribe",
                            "",
                            "whether jobs share nodes here",
                            Partition::getOversubscribe)
                    .number("", "maximums.shares,maximums.oversubscribe.jobs", "", _ -> 1)
                    .flag("hidden", "", "whether others do not see it", Partition::getHidden)
                    .flag("root_only", "", "whether only root submits here", Partition::getRootOnly)
                    .field("", Field.Kind.TEXT, "cluster", "", (_, out) -> out.text(out.cluster()))
                    .build();

    private PartitionTable() {}

    private static String state(Partition partition) {
        return partition.getState().isEmpty() ? "UP" : partition.getState();
    }

    private static void orUnlimited(long number, Values out) {
        if (number == 0) {
            out.unlimited();
        } else {
            out.number(number);
        }
    }
}
