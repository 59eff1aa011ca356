package dev.spur.model;

import java.util.function.Consumer;

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

    /// Whether it says how many tasks there are, by number or through what each of them gets.
    public boolean countsTasks() {
        return tasksGiven
                || tasksPerGpu > 0
                || !gresPerTask.isEmpty() && !(gresPerJob.isEmpty() && gresPerNode.isEmpty());
    }

    /// A copy that differs in what `change` sets.
    public ResourceRequest with(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.done();
    }

    /// A request that is being changed.
    public static final class Draft {
        public int minNodes;
        public int maxNodes;
        public int tasks;
        public boolean tasksGiven;
        public int cpusPerTask;
        public boolean cpusPerTaskGiven;
        public int tasksPerNode;
        public int tasksPerSocket;
        public int tasksPerCore;
        public int tasksPerGpu;
        public MemoryRequest memory;
        public long tmpDiskMebibytes;
        public int minCpusPerNode;
        public String gresPerNode;
        public String gresPerJob;
        public String gresPerTask;
        public String gresPerSocket;
        public int cpusPerGpu;
        public String constraint;
        public String prefer;
        public String nodeList;
        public String exclude;
        public Sharing sharing;
        public boolean contiguous;
        public String distribution;
        public int socketsPerNode;
        public int coresPerSocket;
        public int threadsPerCore;
        public String gpuBind;
        public String cpuBind;
        public String memBind;
        public String hint;
        public String switches;
        public boolean useMinNodes;
        public boolean overcommit;

        private Draft(ResourceRequest from) {
            minNodes = from.minNodes;
            maxNodes = from.maxNodes;
            tasks = from.tasks;
            tasksGiven = from.tasksGiven;
            cpusPerTask = from.cpusPerTask;
            cpusPerTaskGiven = from.cpusPerTaskGiven;
            tasksPerNode = from.tasksPerNode;
            tasksPerSocket = from.tasksPerSocket;
            tasksPerCore = from.tasksPerCore;
            tasksPerGpu = from.tasksPerGpu;
            memory = from.memory;
            tmpDiskMebibytes = from.tmpDiskMebibytes;
            minCpusPerNode = from.minCpusPerNode;
            gresPerNode = from.gresPerNode;
            gresPerJob = from.gresPerJob;
            gresPerTask = from.gresPerTask;
            gresPerSocket = from.gresPerSocket;
            cpusPerGpu = from.cpusPerGpu;
            constraint = from.constraint;
            prefer = from.prefer;
            nodeList = from.nodeList;
            exclude = from.exclude;
            sharing = from.sharing;
            contiguous = from.contiguous;
            distribution = from.distribution;
            socketsPerNode = from.socketsPerNode;
            coresPerSocket = from.coresPerSocket;
            threadsPerCore = from.threadsPerCore;
            gpuBind = from.gpuBind;
            cpuBind = from.cpuBind;
            memBind = from.memBind;
            hint = from.hint;
            switches = from.switches;
            useMinNodes = from.useMinNodes;
            overcommit = from.overcommit;
        }

        private ResourceRequest done() {
            return new ResourceRequest(
                    minNodes,
                    maxNodes,
                    tasks,
                    tasksGiven,
                    cpusPerTask,
                    cpusPerTaskGiven,
                    tasksPerNode,
                    tasksPerSocket,
                    tasksPerCore,
                    tasksPerGpu,
                    memory,
                    tmpDiskMebibytes,
                    minCpusPerNode,
                    gresPerNode,
                    gresPerJob,
                    gresPerTask,
                    gresPerSocket,
                    cpusPerGpu,
                    constraint,
                    prefer,
                    nodeList,
                    exclude,
                    sharing,
                    contiguous,
                    distribution,
                    socketsPerNode,
                    coresPerSocket,
                    threadsPerCore,
                    gpuBind,
                    cpuBind,
                    memBind,
                    hint,
                    switches,
                    useMinNodes,
                    overcommit);
        }
    }
}
