package dev.spur.agent.launch;

import java.util.List;

/// What planning a step needs to know of its node.
///
/// @param configFile the cluster's configuration, told to jobs as `SLURM_CONF`
/// @param controller `host:port` of the controller
/// @param bindsCpus whether the node's cpu numbers are those of the machine; not so for pretend
///   nodes
/// @param memlock the limit on locked memory that jobs get, `inherit` for the submitter's
/// @param maxProcessesPerCpu most processes and threads of a job for each of its cpus, 0 for any
/// @param gpuFiles the device files of the node's GPUs by index, empty for pretend ones
/// @param makesSessions whether it can keep a job apart from the node, which takes root
/// @param commands which a session finds
public record NodeProfile(
        String node,
        String configFile,
        String controller,
        boolean bindsCpus,
        String memlock,
        int maxProcessesPerCpu,
        List<String> gpuFiles,
        boolean makesSessions,
        Commands commands) {
    /// Also a job with one cpu may run a build or a program with many threads.
    private static final int LEAST_PROCESSES = 1024;

    private static final int MOST_PROCESSES = 1 << 22; // more the kernel does not number

    public NodeProfile(
            String node,
            String configFile,
            String controller,
            boolean bindsCpus,
            String memlock,
            int maxProcessesPerCpu,
            List<String> gpuFiles) {
        this(
                node,
                configFile,
                controller,
                bindsCpus,
                memlock,
                maxProcessesPerCpu,
                gpuFiles,
                true,
                Commands.USUAL);
    }

    public NodeProfile {
        gpuFiles = List.copyOf(gpuFiles);
    }

    /// Most processes and threads of a job with so many cpus here; 0 for any number. A quarter of
    /// what Linux has by default on a machine with as many cpus, so that one job's fork bomb leaves
    /// the node enough to go on with.
    int maxProcesses(int cpus) {
        return maxProcessesPerCpu == 0
                ? 0
                : Math.clamp((long) maxProcessesPerCpu * cpus, LEAST_PROCESSES, MOST_PROCESSES);
    }
}
