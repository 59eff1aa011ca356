package dev.spur.engine.demand;

import dev.spur.model.MemoryRequest;
import java.util.List;

/// A request with every default filled in and every notation read: what the scheduler places. Jobs
/// with equal demands are placed alike, so the scheduler looks at one of them.
public record Demand(
        NodeRange range, TaskCounts counts, NodeNeeds needs, DeviceCounts devices, Hosts hosts) {
    /// How many nodes.
    ///
    /// @param maxNodes at least `minNodes`
    /// @param widest as many nodes as the range allows rather than as few
    /// @param exclusive nodes are not shared with other jobs
    public record NodeRange(int minNodes, int maxNodes, boolean widest, boolean exclusive) {}

    /// How many tasks, and what CPUs for them.
    ///
    /// @param tasks over all nodes, at least one per node; see [#tasksOn]
    /// @param tasksPerNode at most so many on a node; 0: as many as fit
    /// @param tasksOnEachNode at least so many, so that more nodes than the fewest have more tasks
    /// @param overcommit one CPU per node is enough, however many tasks
    public record TaskCounts(
            int tasks,
            int cpusPerTask,
            int tasksPerNode,
            int tasksOnEachNode,
            boolean overcommit) {}

    /// What each node must have.
    ///
    /// @param memory never unspecified unless memory is not tracked for the job
    public record NodeNeeds(
            int minCpusPerNode,
            int socketsPerNode,
            int coresPerSocket,
            int threadsPerCore,
            MemoryRequest memory,
            long tmpDiskMebibytes) {}

    /// How many devices. Of one kind of device at most one of node, job and task counts.
    public record DeviceCounts(
            List<GresDemand> perNode,
            List<GresDemand> perJob,
            List<GresDemand> perTask,
            int cpusPerGpu) {
        public DeviceCounts {
            perNode = List.copyOf(perNode);
            perJob = List.copyOf(perJob);
            perTask = List.copyOf(perTask);
        }
    }

    /// Which hosts.
    ///
    /// @param features any of these lists, each of which a node must have in full; empty: every
    ///   node will do
    /// @param preferred as `features`, of nodes that are taken rather than others if they are free
    /// @param required hosts the job must have
    public record Hosts(
            List<List<String>> features,
            List<List<String>> preferred,
            List<String> required,
            List<String> excluded) {
        public Hosts {
            features = features.stream().map(List::copyOf).toList();
            preferred = preferred.stream().map(List::copyOf).toList();
            required = List.copyOf(required);
            excluded = List.copyOf(excluded);
        }
    }

    /// So many devices of a kind.
    ///
    /// @param type empty: any
    public record GresDemand(String name, String type, long count) {}

    /// The same, laid out on nodes otherwise.
    public Demand laidOut(int cpusOfTask, int mostTasks, int leastCpus, MemoryRequest ofEach) {
        return new Demand(
                range,
                new TaskCounts(tasks(), cpusOfTask, mostTasks, tasksOnEachNode(), overcommit()),
                new NodeNeeds(
                        leastCpus,
                        needs.socketsPerNode,
                        needs.coresPerSocket,
                        needs.threadsPerCore,
                        ofEach,
                        needs.tmpDiskMebibytes),
                devices,
                hosts);
    }

    public int minNodes() {
        return range.minNodes;
    }

    public int maxNodes() {
        return range.maxNodes;
    }

    public boolean widest() {
        return range.widest;
    }

    public boolean exclusive() {
        return range.exclusive;
    }

    public int tasks() {
        return counts.tasks;
    }

    public int cpusPerTask() {
        return counts.cpusPerTask;
    }

    public int tasksPerNode() {
        return counts.tasksPerNode;
    }

    public int tasksOnEachNode() {
        return counts.tasksOnEachNode;
    }

    public boolean overcommit() {
        return counts.overcommit;
    }

    public int minCpusPerNode() {
        return needs.minCpusPerNode;
    }

    public int threadsPerCore() {
        return needs.threadsPerCore;
    }

    public MemoryRequest memory() {
        return needs.memory;
    }

    public List<GresDemand> gresPerNode() {
        return devices.perNode;
    }

    public List<GresDemand> gresPerJob() {
        return devices.perJob;
    }

    public List<GresDemand> gresPerTask() {
        return devices.perTask;
    }

    public int cpusPerGpu() {
        return devices.cpusPerGpu;
    }

    public List<String> required() {
        return hosts.required;
    }

    public List<String> excluded() {
        return hosts.excluded;
    }

    /// How many tasks there are on so many nodes.
    public int tasksOn(int nodes) {
        return Math.max(tasks(), nodes * tasksOnEachNode());
    }

    /// CPUs that the tasks need together.
    public long cpus() {
        return overcommit()
                ? minNodes()
                : Math.max((long) tasks() * cpusPerTask(), (long) minNodes() * minCpusPerNode());
    }
}
