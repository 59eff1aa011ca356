package dev.spur.cli.submission;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.cli.Invocation;
import dev.spur.cli.options.Arguments;
import dev.spur.model.notation.RunLength;
import dev.spur.runtime.host.ThisHost;
import java.util.LinkedHashMap;
import java.util.Map;

/// The variables that tell a program in an allocation what it has (salloc(1), "output environment
/// variables").
public final class JobEnvironment {
    private JobEnvironment() {}

    /// The caller's environment with what describes the job.
    public static Map<String, String> of(
            Invocation in, Arguments arguments, String cluster, Job job) {
        var environment = new LinkedHashMap<>(in.environment());
        var id = Integer.toUnsignedString(job.getJobId());
        var nodes = Integer.toString(job.getNumNodes());
        put(environment, "SLURM_CLUSTER_NAME", cluster);
        put(environment, "SLURM_JOB_ID", id);
        put(environment, "SLURM_JOBID", id);
        put(environment, "SLURM_JOB_NAME", job.getName());
        put(environment, "SLURM_JOB_ACCOUNT", job.getAccount());
        put(environment, "SLURM_JOB_PARTITION", job.getPartition());
        put(environment, "SLURM_JOB_QOS", job.getQos());
        put(environment, "SLURM_JOB_RESERVATION", job.getReservation());
        put(environment, "SLURM_JOB_NODELIST", job.getNodeList());
        put(environment, "SLURM_NODELIST", job.getNodeList());
        put(environment, "SLURM_JOB_NUM_NODES", nodes);
        put(environment, "SLURM_NNODES", nodes);
        put(environment, "SLURM_NODE_ALIASES", "(null)");
        put(environment, "SLURM_SUBMIT_DIR", in.workingDirectory());
        put(environment, "SLURM_SUBMIT_HOST", ThisHost.shortName());
        if (job.getNodesCount() > 0) {
            environment.put(
                    "SLURM_JOB_CPUS_PER_NODE",
                    RunLength.compress(
                            job.getNodesList().stream().map(NodeAllocation::getCpus).toList()));
            environment.put(
                    "SLURM_TASKS_PER_NODE",
                    RunLength.compress(
                            job.getNodesList().stream()
                                    .map(node -> Math.max(1, node.getTasks()))
                                    .toList()));
        }
        requested(environment, arguments);
        if (!arguments.has(JobOptions.NTASKS)) {
            TasksOfGpus.of(arguments, job.getNumNodes())
                    .ifPresent(count -> countTasks(environment, count));
        }
        return environment;
    }

    private static void countTasks(Map<String, String> environment, Integer count) {
        environment.put("SLURM_NTASKS", count.toString());
        environment.put("SLURM_NPROCS", count.toString());
    }

    /// What only those see who asked for it.
    private static void requested(Map<String, String> environment, Arguments arguments) {
        arguments.get(JobOptions.NTASKS).ifPresent(count -> countTasks(environment, count));
        arguments
                .get(JobOptions.CPUS_PER_TASK)
                .ifPresent(n -> environment.put("SLURM_CPUS_PER_TASK", n.toString()));
        arguments
                .get(JobOptions.NTASKS_PER_NODE)
                .ifPresent(n -> environment.put("SLURM_NTASKS_PER_NODE", n.toString()));
        arguments
                .get(JobOptions.MEM)
                .ifPresent(size ->
                        environment.put("SLURM_MEM_PER_NODE", Long.toString(size.mebibytes())));
        arguments
                .get(JobOptions.MEM_PER_CPU)
                .ifPresent(size ->
                        environment.put("SLURM_MEM_PER_CPU", Long.toString(size.mebibytes())));
        arguments
                .get(JobOptions.DEPENDENCY)
                .ifPresent(text -> environment.put("SLURM_JOB_DEPENDENCY", text));
        forSteps(environment, arguments);
    }

    /// What `srun` inside the job has to know of what was asked for.
    public static void forSteps(Map<String, String> environment, Arguments arguments) {
        if (arguments.has(JobOptions.OVERCOMMIT)) {
            environment.put("SLURM_OVERCOMMIT", "1");
        }
        arguments
                .get(JobOptions.DISTRIBUTION)
                .ifPresent(text -> environment.put("SLURM_DISTRIBUTION", text));
        devices(environment, arguments);
    }

    /// What was asked for of GPUs: programs read it, and so does `srun` inside the job.
    private static void devices(Map<String, String> environment, Arguments arguments) {
        Map.of(
                        "SLURM_CPUS_PER_GPU", JobOptions.CPUS_PER_GPU,
                        "SLURM_GPUS", JobOptions.GPUS,
                        "SLURM_GPUS_PER_NODE", JobOptions.GPUS_PER_NODE,
                        "SLURM_GPUS_PER_TASK", JobOptions.GPUS_PER_TASK,
                        "SLURM_GPU_BIND", JobOptions.GPU_BIND,
                        "SLURM_NTASKS_PER_GPU", JobOptions.NTASKS_PER_GPU)
                .forEach((name, option) ->
                        arguments.text(option).ifPresent(text -> environment.put(name, text)));
        arguments
                .get(JobOptions.MEM_PER_GPU)
                .ifPresent(size ->
                        environment.put("SLURM_MEM_PER_GPU", Long.toString(size.mebibytes())));
    }

    private static void put(Map<String, String> environment, String name, String value) {
        if (!value.isEmpty()) {
            environment.put(name, value);
        }
    }
}
