package dev.spur.engine.state;

import dev.spur.model.MemoryRequest;
import java.util.List;

/// A request with every default filled in and every notation read: what the scheduler places. Jobs
/// with equal demands are placed alike, so the scheduler looks at one of them.
///
/// @param maxNodes at least `minNodes`
/// @param tasks over all nodes, at least one per node
/// @param tasksPerNode at most so many on a node; 0: as many as fit
/// @param memory never unspecified unless memory is not tracked for the job
/// @param gresPerNode on each node
/// @param features any of these lists, each of which a node must have in full; empty: every node
///   will do
/// @param required hosts the job must have
/// @param exclusive nodes are not shared with other jobs
/// @param widest as many nodes as the range allows rather than as few
/// @param overcommit one CPU per node is enough, however many tasks
public record Demand(
        int minNodes,
        int maxNodes,
        int tasks,
        int cpusPerTask,
        int tasksPerNode,
        int minCpusPerNode,
        int socketsPerNode,
        int coresPerSocket,
        int threadsPerCore,
        MemoryRequest memory,
        long tmpDiskMebibytes,
        List<GresDemand> gresPerNode,
        List<GresDemand> gresPerJob,
        List<GresDemand> gresPerTask,
        int cpusPerGpu,
        List<List<String>> features,
        List<String> required,
        List<String> excluded,
        boolean exclusive,
        boolean overcommit,
        boolean widest) {

    public Demand {
        gresPerNode = List.copyOf(gresPerNode);
        gresPerJob = List.copyOf(gresPerJob);
        gresPerTask = List.copyOf(gresPerTask);
        features = features.stream().map(List::copyOf).toList();
        required = List.copyOf(required);
        excluded = List.copyOf(excluded);
    }

    /// So many devices of a kind.
    ///
    /// @param type empty: any
    public record GresDemand(String name, String type, long count) {}

    /// CPUs that the tasks need together.
    public long cpus() {
        return overcommit
                ? minNodes
                : Math.max((long) tasks * cpusPerTask, (long) minNodes * minCpusPerNode);
    }
}
