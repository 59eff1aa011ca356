package dev.spur.cli.submission;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.cli.Invocation;
import dev.spur.cli.options.Arguments;
import dev.spur.model.notation.RunLength;
import dev.spur.runtime.host.ThisHost;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
            environment.put("SLURM_TASKS_PER_NODE", RunLength.compress(tasks(job)));
        }
        requested(environment, arguments);
        return environment;
    }

    /// Tasks on each node: one at least, the rest from the first node on as far as its processors
    /// go.
    private static List<Integer> tasks(Job job) {
        var nodes = job.getNodesList();
        if (nodes.stream().anyMatch(node -> node.getTasks() > 0)) {
            return nodes.stream().map(NodeAllocation::getTasks).toList();
        }
        int each = Math.max(1, job.getRequest().getCpusPerTask());
        int rest = Math.max(0, job.getNumTasks() - nodes.size());
        var tasks = new ArrayList<Integer>();
        for (var node : nodes) {
            int more = Math.min(rest, Math.max(0, node.getCpus() / each - 1));
            rest -= more;
            tasks.add(1 + more);
        }
        return tasks;
    }

    /// What only those see who asked for it.
    private static void requested(Map<String, String> environment, Arguments arguments) {
        arguments
                .get(JobOptions.NTASKS)
                .ifPresent(count -> {
                    environment.put("SLURM_NTASKS", count.toString());
                    environment.put("SLURM_NPROCS", count.toString());
                });
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
        arguments.text(JobOptions.GPUS).ifPresent(text -> environment.put("SLURM_GPUS", text));
        arguments
                .text(JobOptions.GPUS_PER_NODE)
                .ifPresent(text -> environment.put("SLURM_GPUS_PER_NODE", text));
        arguments
                .text(JobOptions.GPUS_PER_TASK)
                .ifPresent(text -> environment.put("SLURM_GPUS_PER_TASK", text));
        arguments
                .get(JobOptions.DISTRIBUTION)
                .ifPresent(text -> environment.put("SLURM_DISTRIBUTION", text));
        arguments
                .get(JobOptions.DEPENDENCY)
                .ifPresent(text -> environment.put("SLURM_JOB_DEPENDENCY", text));
        if (arguments.has(JobOptions.OVERCOMMIT)) {
            environment.put("SLURM_OVERCOMMIT", "1");
        }
    }

    private static void put(Map<String, String> environment, String name, String value) {
        if (!value.isEmpty()) {
            environment.put(name, value);
        }
    }
}
