package dev.spur.model;

/// What one component of a job asks for, as the user wrote it: counts of zero and empty texts mean
/// "not asked for". Texts are in Slurm's notations (gres, hostlist, constraint).
///
/// @param maxNodes 0 if no upper bound was given; then as many as `minNodes`, or as the tasks need
/// @param tasksGiven whether the user said how many tasks, which decides about `SLURM_NTASKS`
/// @param nodeList hosts that the job must have
public record ResourceRequest(
        int minNodes,
        int maxNodes,
        int tasks,
        boolean tasksGiven,
        int cpusPerTask,
        boolean cpusPerTaskGiven,
        int tasksPerNode,
        int tasksPerSocket,
        int tasksPerCore,
        int tasksPerGpu,
        MemoryRequest memory,
        long tmpDiskMebibytes,
        int minCpusPerNode,
        String gresPerNode,
        String gresPerJob,
        String gresPerTask,
        String gresPerSocket,
        int cpusPerGpu,
        String constraint,
        String prefer,
        String nodeList,
        String exclude,
        Sharing sharing,
        boolean contiguous,
        String distribution,
        int socketsPerNode,
        int coresPerSocket,
        int threadsPerCore,
        String gpuBind,
        String cpuBind,
        String memBind,
        String hint,
        String switches,
        boolean useMinNodes,
        boolean overcommit) {

    /// One task on one CPU of any node.
    public static final ResourceRequest ONE_TASK =
            new ResourceRequest(
                    0,
                    0,
                    0,
                    false,
                    0,
                    false,
                    0,
                    0,
                    0,
                    0,
                    MemoryRequest.UNSPECIFIED,
                    0,
                    0,
                    "",
                    "",
                    "",
                    "",
                    0,
                    "",
                    "",
                    "",
                    "",
                    Sharing.DEFAULT,
                    false,
                    "",
                    0,
                    0,
                    0,
                    "",
                    "",
                    "",
                    "",
                    "",
                    false,
                    false);
}
