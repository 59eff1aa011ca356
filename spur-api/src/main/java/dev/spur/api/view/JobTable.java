package dev.spur.api.view;

import static dev.spur.api.view.EntityTable.unsigned;

import dev.spur.api.v1.GresAllocation;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.api.v1.ResourceRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// What there is to see of a job.
public final class JobTable {
    private static final EntityTable<GresAllocation> GRES =
            EntityTable.<GresAllocation>of("gres", "job_res_core")
                    .text("name", "", "kind of device", GresAllocation::getName)
                    .text("type", "", "model", GresAllocation::getType)
                    .field(
                            "indices",
                            Field.Kind.TEXT,
                            "",
                            "which of them, 0-3",
                            (gres, out) -> out.text(Ranges.of(gres.getIndicesList())))
                    .count("", "index", "", _ -> 0)
                    .words("", "status", "", _ -> List.of("ALLOCATED"))
                    .build();

    /// What one node gives.
    public static final EntityTable<NodeAllocation> ALLOCATIONS =
            EntityTable.<NodeAllocation>of("allocation", "job_res_node")
                    .text("node", "name", "node", NodeAllocation::getNode)
                    .count("cpus", "cpus.count", "CPUs", NodeAllocation::getCpus)
                    .number(
                            "memory_mb",
                            "memory.allocated",
                            "memory in MiB",
                            NodeAllocation::getMemMb)
                    .text("cpu_ids", "", "which CPUs, 0-3", NodeAllocation::getCpuIds)
                    .list("gres", "", "devices", GRES, NodeAllocation::getGresList)
                    .build();

    public static final EntityTable<Job> JOBS = identity().build();

    private JobTable() {}

    private static EntityTable.Builder<Job> identity() {
        return demand(state(owner(ids(EntityTable.of("job", "job_info")))));
    }

    private static EntityTable.Builder<Job> ids(EntityTable.Builder<Job> table) {
        return table.count("id", "job_id", "number of the job", Job::getJobId)
                .text("name", "name", "name", Job::getName)
                .numberIf(
                        "array_id",
                        "",
                        "number of the array that it is a task of",
                        job -> job.getArrayJobId() != 0,
                        job -> unsigned(job.getArrayJobId()))
                .count("", "array_job_id", "", Job::getArrayJobId)
                .numberIf(
                        "array_task",
                        "array_task_id",
                        "its place in the array",
                        Job::hasArrayTaskId,
                        job -> unsigned(job.getArrayTaskId()))
                .text(
                        "array_waiting",
                        "array_task_string",
                        "tasks of the array that have not started, as 3-10%2",
                        Job::getArrayPending)
                .text("array_tasks", "", "all tasks of the array", Job::getArrayTaskString)
                .positive(
                        "array_throttle",
                        "",
                        "how many of its tasks may run at once",
                        job -> unsigned(job.getArrayThrottle()))
                .count("", "array_max_tasks", "", Job::getArrayThrottle)
                .numberIf(
                        "het_id",
                        "",
                        "number of the heterogeneous job that it is a part of",
                        job -> job.getHetJobId() != 0,
                        job -> unsigned(job.getHetJobId()))
                .count("", "het_job_id", "", Job::getHetJobId)
                .count("het_offset", "het_job_offset", "its place there", Job::getHetOffset)
                .field(
                        "cluster",
                        Field.Kind.TEXT,
                        "cluster",
                        "cluster",
                        (_, out) -> out.text(out.cluster()));
    }

    private static EntityTable.Builder<Job> owner(EntityTable.Builder<Job> table) {
        return table.text("user", "user_name", "name of the owner", Job::getUserName)
                .count("uid", "user_id", "uid of the owner", Job::getUid)
                .text("group", "group_name", "name of the group", Job::getGroupName)
                .count("gid", "group_id", "gid", Job::getGid)
                .text("account", "account", "account that is charged", Job::getAccount)
                .text("qos", "qos", "quality of service", Job::getQos)
                .text("wckey", "wckey", "workload characterization key", Job::getWckey)
                .text("partition", "partition", "partition, several by comma", Job::getPartition)
                .text("reservation", "resv_name", "reservation", Job::getReservation)
                .text("comment", "comment", "the owner's comment", Job::getComment)
                .text(
                        "admin_comment",
                        "admin_comment",
                        "the administrators' comment",
                        job -> job.getSpec().getAdminComment())
                .text("mail_user", "mail_user", "who gets mail", job -> job.getSpec().getMailUser())
                .words("mail_on", "mail_type", "when mail is sent", JobTable::mailTypes)
                .text(
                        "submit_host",
                        "allocating_node",
                        "host from which it was submitted",
                        job -> job.getSpec().getSubmitHost())
                .text("mcs_label", "mcs_label", "MCS label", job -> job.getSpec().getMcsLabel());
    }

    private static EntityTable.Builder<Job> state(EntityTable.Builder<Job> table) {
        return table.text("state", "", "state, as squeue shows it", Job::getState)
                .words(
                        "states",
                        "job_state",
                        "state without what goes on, then what goes on",
                        JobTable::states)
                .text("reason", "state_reason", "why it waits or has failed", Job::getReason)
                .text(
                        "reason_detail",
                        "state_description",
                        "more about that",
                        job -> job.getReasonDetail())
                .flag("held", "hold", "whether it is held", Job::getHeld)
                .count("priority", "priority", "priority", Job::getPriority)
                .number("nice", "nice", "what its owner gives up of it", Job::getNice)
                .text("dependency", "dependency", "what it waits for", Job::getDependency)
                .instant(
                        "submitted_at",
                        "submit_time",
                        "when it was submitted",
                        Job::getSubmitMicros)
                .instant(
                        "eligible_at", "eligible_time", "when it may start", Job::getEligibleMicros)
                .instant(
                        "accruing_at",
                        "accrue_time",
                        "since when its age counts",
                        Job::getAccrueMicros)
                .instant(
                        "started_at",
                        "start_time",
                        "when it started, or is expected to",
                        Job::getStartMicros)
                .instant("ends_at", "end_time", "when it ended, or has to", Job::getEndMicros)
                .number("run_seconds", "", "how long it ran", Job::getRunSeconds)
                .limit("time_limit", "time_limit", "minutes it may run", Job::getTimeLimit)
                .limit(
                        "time_min",
                        "time_minimum",
                        "minutes that will do",
                        job -> job.getSpec().getTimeMin())
                .instant(
                        "deadline",
                        "deadline",
                        "when it must have ended",
                        job -> job.getSpec().getDeadlineMicros())
                .instant(
                        "suspended_at",
                        "suspend_time",
                        "when it was suspended",
                        Job::getSuspendMicros)
                .number(
                        "run_seconds_before_suspension",
                        "pre_sus_time",
                        "how long it ran until then",
                        Job::getPreSuspendSeconds)
                .instant(
                        "preempted_at",
                        "preempt_time",
                        "when it was told to make room",
                        Job::getPreemptMicros)
                .instant(
                        "considered_at",
                        "last_sched_evaluation",
                        "when the scheduler looked at it last",
                        Job::getLastSchedEvalMicros)
                .field(
                        "exit",
                        Field.Kind.EXIT,
                        "exit_code",
                        "how its script ended",
                        (job, out) -> out.exit(job.getExitCode(), job.getExitSignal()))
                .field(
                        "worst_exit",
                        Field.Kind.EXIT,
                        "derived_exit_code",
                        "the worst end of its steps",
                        (job, out) ->
                                out.exit(job.getDerivedExitCode(), job.getDerivedExitSignal()))
                .count("restarts", "restart_cnt", "how often it began anew", Job::getRestarts)
                .count("attempt", "", "number of this try", Job::getAttempt)
                .flag("requeue", "requeue", "whether it may begin anew", Job::getRequeue)
                .flag("batch", "batch_flag", "whether it has a script", Job::getBatch)
                .text("batch_host", "batch_host", "where its script runs", Job::getBatchHost)
                .text("failed_node", "failed_node", "node by which it failed", Job::getFailedNode);
    }

    private static EntityTable.Builder<Job> demand(EntityTable.Builder<Job> table) {
        return files(
                nodes(table)
                        .count("cpus", "cpus", "CPUs", Job::getNumCpus)
                        .count("tasks", "tasks", "tasks", Job::getNumTasks)
                        .number(
                                "cpus_per_task",
                                "cpus_per_task",
                                "CPUs of each task",
                                job -> Math.max(1, job.getRequest().getCpusPerTask()))
                        .count(
                                "tasks_per_node",
                                "tasks_per_node",
                                "tasks on each node; 0: any",
                                job -> job.getRequest().getTasksPerNode())
                        .positive(
                                "tasks_per_socket",
                                "tasks_per_socket",
                                "tasks on each socket",
                                job -> job.getRequest().getTasksPerSocket())
                        .positive(
                                "tasks_per_core",
                                "tasks_per_core",
                                "tasks on each core",
                                job -> job.getRequest().getTasksPerCore())
                        .positive(
                                "tasks_per_gpu",
                                "tasks_per_tres",
                                "tasks for each GPU",
                                job -> job.getRequest().getTasksPerGpu())
                        .positive(
                                "sockets_per_node",
                                "sockets_per_node",
                                "sockets a node must have",
                                job -> job.getRequest().getSocketsPerNode())
                        .positive(
                                "cores_per_socket",
                                "cores_per_socket",
                                "cores a socket must have",
                                job -> job.getRequest().getCoresPerSocket())
                        .positive(
                                "threads_per_core",
                                "threads_per_core,job_resources.threads_per_core",
                                "threads a core must have",
                                job -> job.getRequest().getThreadsPerCore())
                        .number(
                                "min_cpus_per_node",
                                "minimum_cpus_per_node",
                                "CPUs a node must have",
                                job -> leastCpusPerNode(job.getRequest()))
                        .numberIf(
                                "memory_per_node_mb",
                                "memory_per_node",
                                "memory on each node in MiB",
                                job -> job.getRequest().hasMemPerNodeMb(),
                                job -> job.getRequest().getMemPerNodeMb())
                        .numberIf(
                                "memory_per_cpu_mb",
                                "memory_per_cpu",
                                "memory for each CPU in MiB",
                                job -> job.getRequest().hasMemPerCpuMb(),
                                job -> job.getRequest().getMemPerCpuMb())
                        .text(
                                "memory_per_tres",
                                "memory_per_tres",
                                "memory for each device, gres:gpu:4096",
                                job ->
                                        job.getRequest().hasMemPerGpuMb()
                                                ? "gres:gpu:" + job.getRequest().getMemPerGpuMb()
                                                : "")
                        .text(
                                "cpus_per_tres",
                                "cpus_per_tres",
                                "CPUs for each device, gres:gpu:4",
                                job ->
                                        job.getRequest().getCpusPerGpu() == 0
                                                ? ""
                                                : "gres:gpu:" + job.getRequest().getCpusPerGpu())
                        .number(
                                "tmp_disk_mb",
                                "minimum_tmp_disk_per_node",
                                "temporary disk space in MiB",
                                job -> job.getRequest().getTmpDiskMb())
                        .tres("tres", "", "resources asked for", Job::getTres)
                        .text("", "tres_req_str", "", Job::getTres)
                        .tres("tres_allocated", "", "resources it has or had", Job::getTresAlloc)
                        .text("", "tres_alloc_str", "", Job::getTresAlloc)
                        .decimal(
                                "billing",
                                "billable_tres",
                                "what it counts for",
                                job -> TresAmounts.of(tres(job), "billing"))
                        .text(
                                "tres_per_node",
                                "tres_per_node",
                                "devices on each node",
                                Job::getTresPerNode)
                        .text("tres_per_job", "tres_per_job", "devices in all", Job::getTresPerJob)
                        .text(
                                "tres_per_task",
                                "tres_per_task",
                                "devices for each task",
                                job -> gres(job.getRequest().getGresPerTask()))
                        .text(
                                "tres_per_socket",
                                "tres_per_socket",
                                "devices on each socket",
                                job -> gres(job.getRequest().getGresPerSocket()))
                        .text(
                                "tres_bind",
                                "tres_bind",
                                "how tasks are bound to devices",
                                job ->
                                        job.getRequest().getGpuBind().isEmpty()
                                                ? ""
                                                : "gpu:" + job.getRequest().getGpuBind())
                        .words("gres_detail", "gres_detail", "devices on each node", JobTable::gres)
                        .text("licenses", "licenses", "licenses", Job::getLicenses)
                        .text("sharing", "", "how it shares nodes", JobTable::sharing)
                        .words("", "shared", "", JobTable::shared)
                        .flag(
                                "contiguous",
                                "contiguous",
                                "whether its nodes must be neighbours",
                                Job::getContiguous)
                        .text("network", "network", "network", job -> job.getSpec().getNetwork())
                        .count(
                                "core_spec",
                                "core_spec",
                                "cores of each node left to the system",
                                job -> job.getSpec().getCoreSpec())
                        .count(
                                "delay_boot_seconds",
                                "delay_boot",
                                "how long it waits before nodes are booted for it",
                                job -> job.getSpec().getDelayBootSecs())
                        .words("flags", "flags", "further wishes", JobTable::flags)
                        .instant("", "resize_time,preemptable_time", "", _ -> 0));
    }

    private static EntityTable.Builder<Job> nodes(EntityTable.Builder<Job> table) {
        return table.text(
                        "nodes", "nodes,job_resources.nodes.list", "nodes it has", Job::getNodeList)
                .text(
                        "planned_nodes",
                        "scheduled_nodes",
                        "nodes it is expected to get",
                        Job::getSchedNodes)
                .count("node_count", "node_count", "number of nodes", Job::getNumNodes)
                .count(
                        "max_nodes",
                        "max_nodes",
                        "most nodes; 0: as many as it needs",
                        Job::getMaxNodes)
                .text(
                        "required_nodes",
                        "required_nodes",
                        "nodes it must have",
                        job -> job.getRequest().getNodeList())
                .text(
                        "excluded_nodes",
                        "excluded_nodes",
                        "nodes it must not have",
                        job -> job.getRequest().getExclude())
                .text(
                        "features",
                        "features",
                        "features of its nodes",
                        job -> job.getRequest().getConstraint())
                .text(
                        "prefer",
                        "prefer",
                        "features it would like",
                        job -> job.getRequest().getPrefer())
                .text(
                        "cluster_features",
                        "cluster_features",
                        "features of its cluster",
                        job -> job.getSpec().getClusterFeatures())
                .list(
                        "allocations",
                        "job_resources.nodes.allocation",
                        "what each node gives",
                        ALLOCATIONS,
                        Job::getNodesList)
                .number("", "job_resources.nodes.count", "", Job::getNodesCount)
                .number(
                        "",
                        "job_resources.cpus",
                        "",
                        job -> job.getNodesList().stream().mapToLong(NodeAllocation::getCpus).sum())
                .number("", "max_cpus", "", job -> 0);
    }

    private static EntityTable.Builder<Job> files(EntityTable.Builder<Job> table) {
        return table.text("command", "command", "script or command", Job::getCommand)
                .text("work_dir", "current_working_directory", "working directory", Job::getWorkDir)
                .text("std_out", "standard_output", "file of its output", Job::getStdOut)
                .text("std_err", "standard_error", "file of its errors", Job::getStdErr)
                .text("std_in", "standard_input", "file of its input", Job::getStdIn)
                .text("container", "container", "container", job -> job.getSpec().getContainer())
                .text("", "container_id", "", _ -> "")
                .text(
                        "submit_line",
                        "",
                        "command that submitted it",
                        job -> job.getSpec().getSubmitLine())
                .text(
                        "switches",
                        "",
                        "switches, COUNT@TIME",
                        job -> job.getRequest().getSwitches());
    }

    /// What both the account of a job and its bill are made of.
    private static String tres(Job job) {
        return job.getTresAlloc().isEmpty() ? job.getTres() : job.getTresAlloc();
    }

    static List<String> states(Job job) {
        return job.getState().equals(job.getBaseState())
                ? List.of(job.getState())
                : List.of(job.getBaseState(), job.getState());
    }

    private static List<String> mailTypes(Job job) {
        var types = job.getSpec().getMailType();
        return types.isEmpty() ? List.of() : Arrays.asList(types.split(",", -1));
    }

    private static String gres(String request) {
        return request.isEmpty() ? "" : "gres:" + request;
    }

    private static List<String> gres(Job job) {
        return job.getNodesList().stream()
                .filter(node -> node.getGresCount() > 0)
                .map(JobTable::gres)
                .toList();
    }

    /// `gpu:mi300x:2(IDX:0-1)`
    public static String gres(NodeAllocation node) {
        return node.getGresList().stream()
                .map(gres ->
                        "%s:%d(IDX:%s)"
                                .formatted(
                                        kind(gres),
                                        gres.getIndicesCount(),
                                        Ranges.of(gres.getIndicesList())))
                .collect(Collectors.joining(","));
    }

    /// `gpu:mi300x`
    public static String kind(GresAllocation gres) {
        return gres.getType().isEmpty() ? gres.getName() : gres.getName() + ":" + gres.getType();
    }

    /// The fewest cpus that a node must have to be of use.
    public static long leastCpusPerNode(ResourceRequest request) {
        long perTask = Math.max(1, request.getCpusPerTask());
        return Math.max(
                Math.max(perTask, request.getMinCpusPerNode()),
                perTask * request.getTasksPerNode());
    }

    private static String sharing(Job job) {
        return switch (job.getRequest().getSharing()) {
            case SHARING_DEFAULT, UNRECOGNIZED -> "";
            case SHARING_EXCLUSIVE, SHARING_OVERSUBSCRIBE, SHARING_USER, SHARING_MCS ->
                    job.getRequest()
                            .getSharing()
                            .name()
                            .substring("SHARING_".length())
                            .toLowerCase(Locale.ROOT);
        };
    }

    private static List<String> shared(Job job) {
        var sharing = sharing(job);
        return sharing.isEmpty()
                ? List.of()
                : List.of(sharing.equals("exclusive") ? "none" : sharing);
    }

    private static List<String> flags(Job job) {
        var spec = job.getSpec();
        var flags = new ArrayList<String>();
        if (spec.getKillOnInvalidDependency()) {
            flags.add("KILL_INVALID_DEPENDENCY");
        }
        if (spec.getSpreadJob()) {
            flags.add("SPREAD_JOB");
        }
        if (job.getRequest().getUseMinNodes()) {
            flags.add("PREFER_MINIMUM_NODE_COUNT");
        }
        if (job.getHetJobId() != 0) {
            flags.add("HETEROGENEOUS_JOB");
        }
        return flags;
    }
}
