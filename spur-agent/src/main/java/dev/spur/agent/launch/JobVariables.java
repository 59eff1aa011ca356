package dev.spur.agent.launch;

import dev.spur.api.v1.NodeAllocation;
import dev.spur.api.v1.StepLaunch;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.RunLength;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// The `SLURM_*` variables that describe a job, to its batch script and to its steps alike
/// (sbatch(1), "output environment variables").
final class JobVariables {
    private final StepLaunch launch;
    private final Site site;

    /// What the node knows of itself.
    ///
    /// @param configFile where the cluster's configuration is
    /// @param controller `host:port` of the controller
    record Site(String node, String configFile, String controller) {}

    JobVariables(StepLaunch launch, Site site) {
        this.launch = launch;
        this.site = site;
    }

    void addTo(Environment environment) {
        identity(environment);
        placement(environment);
        sizes(environment);
        array(environment);
        times(environment);
    }

    private void identity(Environment environment) {
        var job = Integer.toUnsignedString(launch.getJobId());
        environment
                .put("SLURM_JOB_ID", job)
                .put("SLURM_JOBID", job)
                .putIf(!launch.getAccount().isEmpty(), "SLURM_JOB_ACCOUNT", launch.getAccount())
                .put("SLURM_JOB_PARTITION", launch.getPartition())
                .putIf(!launch.getQos().isEmpty(), "SLURM_JOB_QOS", launch.getQos())
                .put("SLURM_JOB_UID", Integer.toUnsignedString(launch.getUid()))
                .put("SLURM_JOB_GID", Integer.toUnsignedString(launch.getGid()))
                .put("SLURM_JOB_USER", launch.getUserName())
                .put("SLURM_CLUSTER_NAME", launch.getCluster())
                .put("SLURM_CONF", site.configFile())
                .put(
                        "SLURM_WORKING_CLUSTER",
                        launch.getCluster() + ":" + site.controller() + ":9728:109")
                .put("SLURM_SUBMIT_DIR", launch.getSubmitDir())
                .putIf(
                        !launch.getSubmitHost().isEmpty(),
                        "SLURM_SUBMIT_HOST",
                        launch.getSubmitHost())
                .putIf(
                        !launch.getReservation().isEmpty(),
                        "SLURM_JOB_RESERVATION",
                        launch.getReservation())
                .putIf(
                        !launch.getDependency().isEmpty(),
                        "SLURM_JOB_DEPENDENCY",
                        launch.getDependency())
                .putIf(
                        launch.getRestarts() > 0,
                        "SLURM_RESTART_COUNT",
                        Integer.toString(launch.getRestarts()))
                .put("SLURM_PRIO_PROCESS", "0")
                .put("SLURMD_NODENAME", site.node())
                .put("SLURM_TOPOLOGY_ADDR", site.node())
                .put("SLURM_TOPOLOGY_ADDR_PATTERN", "node");
    }

    private void placement(Environment environment) {
        var nodes = jobNodeList(launch);
        var count = Integer.toString(launch.getJobNodesCount());
        environment
                .put("SLURM_JOB_NODELIST", nodes)
                .put("SLURM_NODELIST", nodes)
                .put("SLURM_JOB_NUM_NODES", count)
                .put("SLURM_NNODES", count)
                .put("SLURM_JOB_CPUS_PER_NODE", counts(launch, NodeAllocation::getCpus))
                .put("SLURM_TASKS_PER_NODE", counts(launch, node -> Math.max(1, node.getTasks())));
        var gpus = ownGpus(launch.getJobNodesList(), site.node());
        environment.putIf(!gpus.isEmpty(), "SLURM_JOB_GPUS", joined(gpus));
    }

    private void sizes(Environment environment) {
        if (launch.getTasksGiven()) {
            var tasks =
                    launch.getTasks() > 0
                            ? launch.getTasks()
                            : launch.getJobNodesList().stream()
                                    .mapToInt(NodeAllocation::getTasks)
                                    .sum();
            environment.put("SLURM_NTASKS", tasks).put("SLURM_NPROCS", tasks);
        }
        if (launch.getCpusPerTaskGiven()) {
            environment.put("SLURM_CPUS_PER_TASK", launch.getCpusPerTask());
        }
        if (launch.getTasksPerNode() > 0) {
            environment.put("SLURM_NTASKS_PER_NODE", launch.getTasksPerNode());
        }
        if (launch.hasMemPerNodeMb()) {
            environment.put("SLURM_MEM_PER_NODE", launch.getMemPerNodeMb());
        } else if (launch.hasMemPerCpuMb()) {
            environment.put("SLURM_MEM_PER_CPU", launch.getMemPerCpuMb());
        }
    }

    private void array(Environment environment) {
        if (!launch.hasArrayTaskId()) {
            return;
        }
        environment
                .put("SLURM_ARRAY_JOB_ID", Integer.toUnsignedString(launch.getArrayJobId()))
                .put("SLURM_ARRAY_TASK_ID", Integer.toUnsignedString(launch.getArrayTaskId()))
                .put("SLURM_ARRAY_TASK_COUNT", Integer.toUnsignedString(launch.getArrayTaskCount()))
                .put("SLURM_ARRAY_TASK_MIN", Integer.toUnsignedString(launch.getArrayTaskMin()))
                .put("SLURM_ARRAY_TASK_MAX", Integer.toUnsignedString(launch.getArrayTaskMax()))
                .put(
                        "SLURM_ARRAY_TASK_STEP",
                        Integer.toUnsignedString(Math.max(1, launch.getArrayTaskStep())));
    }

    private void times(Environment environment) {
        if (launch.getStartMicros() > 0) {
            environment.put("SLURM_JOB_START_TIME", launch.getStartMicros() / 1_000_000);
        }
        if (launch.getEndMicros() > 0) {
            environment.put("SLURM_JOB_END_TIME", launch.getEndMicros() / 1_000_000);
        }
    }

    static String jobNodeList(StepLaunch launch) {
        return Hostlist.compress(
                launch.getJobNodesList().stream().map(NodeAllocation::getNode).toList());
    }

    private static String counts(
            StepLaunch launch, java.util.function.ToIntFunction<NodeAllocation> of) {
        return RunLength.compress(
                launch.getJobNodesList().stream().map(node -> of.applyAsInt(node)).toList());
    }

    static Optional<NodeAllocation> own(List<NodeAllocation> nodes, String name) {
        return nodes.stream().filter(node -> node.getNode().equals(name)).findFirst();
    }

    private static List<Integer> ownGpus(List<NodeAllocation> nodes, String name) {
        return own(nodes, name).map(JobVariables::gpus).orElse(List.of());
    }

    /// Indices of the GPUs in a share of this node.
    static List<Integer> gpus(NodeAllocation share) {
        return share.getGresList().stream()
                .filter(gres -> gres.getName().equals("gpu"))
                .flatMap(gres -> gres.getIndicesList().stream())
                .sorted()
                .toList();
    }

    static String joined(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
