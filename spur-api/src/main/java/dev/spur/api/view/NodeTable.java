package dev.spur.api.view;

import dev.spur.api.v1.Node;
import java.util.ArrayList;
import java.util.List;

/// What there is to see of a node.
public final class NodeTable {
    public static final EntityTable<Node> NODES =
            EntityTable.<Node>of("node", "node")
                    .text("name", "name", "name", Node::getName)
                    .text("address", "address", "where it is reached", Node::getAddress)
                    .text("host", "hostname", "host name", Node::getHostname)
                    .count("port", "port", "port", Node::getPort)
                    .text("state", "", "state without what goes on", Node::getState)
                    .words("states", "state", "state, then what goes on", NodeTable::states)
                    .text("reason", "reason", "why it is out of service", Node::getReason)
                    .text("reason_user", "reason_set_by_user", "who said so", Node::getReasonUser)
                    .instant(
                            "reason_at",
                            "reason_changed_at",
                            "when that was",
                            Node::getReasonMicros)
                    .words("partitions", "partitions", "partitions", Node::getPartitionsList)
                    .words("features", "features", "features", Node::getFeaturesList)
                    .words(
                            "active_features",
                            "active_features",
                            "features in force",
                            Node::getActiveFeaturesList)
                    .count("cpus", "cpus,effective_cpus", "CPUs", Node::getCpus)
                    .count("cpus_allocated", "alloc_cpus", "CPUs in use", Node::getAllocCpus)
                    .number(
                            "cpus_idle",
                            "alloc_idle_cpus",
                            "CPUs that are free",
                            node -> Math.max(0, node.getCpus() - node.getAllocCpus()))
                    .number(
                            "cpu_load_percent",
                            "cpu_load",
                            "load, 100 for each busy CPU",
                            Node::getLoadHundredths)
                    .count("boards", "boards", "boards", Node::getBoards)
                    .count("sockets", "sockets", "sockets", Node::getSockets)
                    .count("cores_per_socket", "cores", "cores of each", Node::getCoresPerSocket)
                    .count(
                            "threads_per_core",
                            "threads",
                            "threads of each",
                            Node::getThreadsPerCore)
                    .number("memory_mb", "real_memory", "memory in MiB", Node::getMemoryMb)
                    .number(
                            "memory_allocated_mb",
                            "alloc_memory",
                            "memory in use in MiB",
                            Node::getAllocMemMb)
                    .positive(
                            "memory_free_mb",
                            "free_mem",
                            "memory that the system calls free, in MiB",
                            Node::getFreeMemMb)
                    .number(
                            "tmp_disk_mb",
                            "temporary_disk",
                            "temporary disk in MiB",
                            Node::getTmpMb)
                    .count("weight", "weight", "who is lighter is taken first", Node::getWeight)
                    .text("gres", "gres", "devices", Node::getGres)
                    .text("gres_used", "gres_used", "devices in use", Node::getGresUsed)
                    .tres("tres", "", "resources", Node::getTres)
                    .text("", "tres", "", Node::getTres)
                    .tres("tres_allocated", "", "resources in use", Node::getTresAlloc)
                    .text("", "tres_used", "", Node::getTresAlloc)
                    .decimal("", "tres_weighted", "", _ -> 0)
                    .instant("booted_at", "boot_time", "when it booted", Node::getBootMicros)
                    .instant(
                            "agent_started_at",
                            "slurmd_start_time",
                            "when its spurd started",
                            Node::getAgentStartMicros)
                    .instant(
                            "busy_at",
                            "last_busy",
                            "when it was busy last",
                            Node::getLastBusyMicros)
                    .text("architecture", "architecture", "processor", Node::getArch)
                    .text("operating_system", "operating_system", "system", Node::getOs)
                    .text("version", "version", "version of its spurd", Node::getVersion)
                    .text(
                            "reservation",
                            "reservation",
                            "reservation that stands now",
                            Node::getReservation)
                    .text("comment", "comment", "comment", Node::getComment)
                    .text("extra", "extra", "what others keep here", Node::getExtra)
                    .field(
                            "",
                            Field.Kind.TEXT,
                            "cluster_name",
                            "",
                            (_, out) -> out.text(out.cluster()))
                    .build();

    private NodeTable() {}

    static List<String> states(Node node) {
        var words = new ArrayList<String>();
        words.add(node.getState());
        node.getFlagsList().forEach(flag -> words.add(flag.equals("MAINT") ? "MAINTENANCE" : flag));
        return words;
    }
}
