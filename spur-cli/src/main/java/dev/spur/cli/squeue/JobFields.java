package dev.spur.cli.squeue;

import static dev.spur.cli.squeue.JobText.unsigned;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.cli.format.Field;
import dev.spur.cli.format.FieldTable;
import dev.spur.cli.format.StateWords;
import dev.spur.cli.format.View;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/// What squeue can show of a job: `-o` letter, header, value, `-O` names.
final class JobFields {
    /// Priorities are also shown as a fraction of the largest possible.
    private static final double LARGEST_PRIORITY = 4_294_967_295.0;

    static final FieldTable<Job> TABLE =
            new FieldTable<>(
                    "job",
                    List.of(
                            Field.of('a', "ACCOUNT", orNull(Job::getAccount), "account"),
                            Field.of(
                                    'A', "JOBID", number(job -> unsigned(job.getJobId())), "jobid"),
                            Field.of(
                                    'b',
                                    "TRES_PER_NODE",
                                    orNotApplicable(Job::getTresPerNode),
                                    "tres-per-node",
                                    "gres"),
                            Field.of('B', "EXEC_HOST", JobFields::batchHost, "batchhost"),
                            Field.of('c', "MIN_CPUS", number(JobText::leastCpusPerNode), "mincpus"),
                            Field.of(
                                    'C',
                                    "CPUS",
                                    number(job -> unsigned(job.getNumCpus())),
                                    "numcpus"),
                            Field.of('d', "MIN_TMP_DISK", JobFields::temporaryDisk, "mintmpdisk"),
                            Field.of(
                                    'D',
                                    "NODES",
                                    number(job -> unsigned(job.getNumNodes())),
                                    "numnodes"),
                            Field.of('e', "END_TIME", JobFields::end, "endtime"),
                            Field.of('E', "DEPENDENCY", orNull(Job::getDependency), "dependency"),
                            Field.of(
                                    'f',
                                    "FEATURES",
                                    orNull(job -> job.getRequest().getConstraint()),
                                    "feature"),
                            Field.of(
                                    'F',
                                    "ARRAY_JOB_ID",
                                    number(JobFields::arrayOrJobId),
                                    "arrayjobid"),
                            Field.of('g', "GROUP", JobFields::groupName, "groupname"),
                            Field.of(
                                    'G', "GROUP", number(job -> unsigned(job.getGid())), "groupid"),
                            Field.of(
                                    'h',
                                    "OVER_SUBSCRIBE",
                                    plain(JobText::sharing),
                                    "oversubscribe",
                                    "shared"),
                            Field.of(
                                    'H',
                                    "SOCKETS_PER_NODE",
                                    orStar(ResourceRequest::getSocketsPerNode),
                                    "sockets"),
                            Field.of('i', "JOBID", JobText::id, "jobarrayid"),
                            Field.of(
                                    'I',
                                    "CORES_PER_SOCKET",
                                    orStar(ResourceRequest::getCoresPerSocket),
                                    "cores"),
                            Field.of('j', "NAME", plain(Job::getName), "name"),
                            Field.of(
                                    'J',
                                    "THREADS_PER_CORE",
                                    orStar(ResourceRequest::getThreadsPerCore),
                                    "threads"),
                            Field.of('k', "COMMENT", orNull(Job::getComment), "comment"),
                            Field.of('K', "ARRAY_TASK_ID", JobFields::arrayTasks, "arraytaskid"),
                            Field.<Job>of(
                                            'l',
                                            "TIME_LIMIT",
                                            (text, job, _) ->
                                                    JobText.limit(text, job.getTimeLimit()),
                                            "timelimit")
                                    .uncut(),
                            Field.of('L', "TIME_LEFT", JobFields::timeLeft, "timeleft").uncut(),
                            Field.of('m', "MIN_MEMORY", JobText::leastMemory, "minmemory"),
                            Field.<Job>of(
                                            'M',
                                            "TIME",
                                            (text, job, _) ->
                                                    JobText.seconds(text, job.getRunSeconds()),
                                            "timeused")
                                    .uncut(),
                            Field.of(
                                    'n',
                                    "REQ_NODES",
                                    plain(job -> job.getRequest().getNodeList()),
                                    "reqnodes"),
                            Field.of('N', "NODELIST", plain(Job::getNodeList), "nodelist"),
                            Field.of('o', "COMMAND", orNull(Job::getCommand), "command"),
                            Field.of(
                                    'O',
                                    "CONTIGUOUS",
                                    number(job -> job.getContiguous() ? 1 : 0),
                                    "contiguous"),
                            Field.of('p', "PRIORITY", JobFields::priorityFraction, "priority"),
                            Field.of('P', "PARTITION", plain(Job::getPartition), "partition"),
                            Field.of('q', "QOS", orNull(Job::getQos), "qos"),
                            Field.of(
                                    'Q',
                                    "PRIORITY",
                                    number(job -> unsigned(job.getPriority())),
                                    "prioritylong"),
                            Field.of(
                                    'r',
                                    "REASON",
                                    (text, job, _) -> JobText.reason(text, job),
                                    "reason"),
                            Field.of(
                                    'R',
                                    "NODELIST(REASON)",
                                    JobFields::nodesOrReason,
                                    "reasonlist"),
                            Field.of('s', "", plain(_ -> ""), "selectjobinfo"),
                            Field.of('S', "START_TIME", time(Job::getStartMicros), "starttime"),
                            Field.of('t', "ST", JobFields::stateCode, "statecompact"),
                            Field.of('T', "STATE", plain(Job::getState), "state"),
                            Field.of('u', "USER", JobFields::userName, "username"),
                            Field.of('U', "UID", number(job -> unsigned(job.getUid())), "userid"),
                            Field.of(
                                    'v', "RESERVATION", orNull(Job::getReservation), "reservation"),
                            Field.of('V', "SUBMIT_TIME", time(Job::getSubmitMicros), "submittime"),
                            Field.of('w', "WCKEY", orNull(Job::getWckey), "wckey"),
                            Field.of('W', "LICENSES", orNull(Job::getLicenses), "licenses"),
                            Field.of(
                                    'x',
                                    "EXC_NODES",
                                    plain(job -> job.getRequest().getExclude()),
                                    "excnodes"),
                            Field.of('X', "CORE_SPEC", JobFields::coreSpecialization, "corespec"),
                            Field.of('y', "NICE", number(Job::getNice), "nice"),
                            Field.of('Y', "SCHEDNODES", orNull(Job::getSchedNodes), "schednodes"),
                            Field.of('z', "S:C:T", JobFields::socketsCoresThreads, "sct"),
                            Field.of('Z', "WORK_DIR", plain(Job::getWorkDir), "workdir"),
                            Field.of("ACCRUE_TIME", time(Job::getAccrueMicros), "accruetime"),
                            Field.of(
                                    "ADMIN_COMMENT",
                                    orNull(job -> job.getSpec().getAdminComment()),
                                    "admin_comment"),
                            Field.of(
                                    "ALLOC_NODES",
                                    orNull(job -> job.getSpec().getSubmitHost()),
                                    "allocnodes"),
                            Field.of(
                                    "ALLOC_SID",
                                    number(job -> unsigned(job.getSpec().getAllocSid())),
                                    "allocsid"),
                            Field.of(
                                    "BATCH_FLAG",
                                    number(job -> job.getBatch() ? 1 : 0),
                                    "batchflag"),
                            Field.of(
                                    "CLUSTER",
                                    (text, _, view) -> text.append(view.cluster().get()),
                                    "cluster"),
                            Field.of(
                                    "CLUSTER_FEATURES",
                                    orNull(job -> job.getSpec().getClusterFeatures()),
                                    "clusterfeature"),
                            Field.of(
                                    "CONTAINER",
                                    orNull(job -> job.getSpec().getContainer()),
                                    "container"),
                            Field.of(
                                    "CPUS_PER_TASK",
                                    number(job -> Math.max(1, job.getRequest().getCpusPerTask())),
                                    "cpus-per-task"),
                            Field.of("ASSOC_ID", always("0"), "associd"),
                            Field.of("BOARDS_PER_NODE", always("0"), "boardspernode"),
                            Field.of("BURST_BUFFER", always("(null)"), "burstbuffer"),
                            Field.of("BURST_BUFFER_STATE", always("(null)"), "burstbufferstate"),
                            Field.of("CPUS_PER_TRES", JobFields::cpusPerGpu, "cpus-per-tres"),
                            Field.of(
                                    "DEADLINE",
                                    time(job -> job.getSpec().getDeadlineMicros()),
                                    "deadline"),
                            Field.of(
                                    "DELAY_BOOT",
                                    (text, job, _) ->
                                            JobText.seconds(text, job.getSpec().getDelayBootSecs()),
                                    "delayboot"),
                            Field.of(
                                    "DERIVED_EC",
                                    status(Job::getDerivedExitCode, Job::getDerivedExitSignal),
                                    "derivedec"),
                            Field.of("ELIGIBLE_TIME", time(Job::getEligibleMicros), "eligibletime"),
                            Field.of(
                                    "EXIT_CODE",
                                    status(Job::getExitCode, Job::getExitSignal),
                                    "exit_code"),
                            Field.of("HET_JOB_ID", JobFields::hetJobId, "hetjobid"),
                            Field.of("HET_JOB_OFFSET", JobFields::hetOffset, "hetjoboffset"),
                            Field.of(
                                    "LAST_SCHED_EVAL",
                                    time(Job::getLastSchedEvalMicros),
                                    "lastschedeval"),
                            Field.of("HET_JOB_ID_SET", always("N/A"), "hetjobidset"),
                            Field.of(
                                    "MAX_CPUS",
                                    number(job -> unsigned(job.getNumCpus())),
                                    "maxcpus"),
                            Field.of(
                                    "MAX_NODES",
                                    number(job -> unsigned(job.getMaxNodes())),
                                    "maxnodes"),
                            Field.of(
                                    "MCSLABEL",
                                    orNull(job -> job.getSpec().getMcsLabel()),
                                    "mcslabel"),
                            Field.of("MEM_PER_TRES", JobFields::memoryPerGpu, "mem-per-tres"),
                            Field.of("MIN_TIME", JobFields::timeMin, "mintime"),
                            Field.of(
                                    "NETWORK",
                                    orNull(job -> job.getSpec().getNetwork()),
                                    "network"),
                            Field.of("NODES", plain(Job::getNodeList), "nodes"),
                            Field.of("NTASKS_PER_BOARD", number(_ -> 0), "ntperboard"),
                            Field.of(
                                    "NTASKS_PER_CORE",
                                    orNotApplicableIfNone(ResourceRequest::getTasksPerCore),
                                    "ntpercore"),
                            Field.of(
                                    "NTASKS_PER_NODE",
                                    number(job -> job.getRequest().getTasksPerNode()),
                                    "ntpernode"),
                            Field.of(
                                    "NTASKS_PER_SOCKET",
                                    orNotApplicableIfNone(ResourceRequest::getTasksPerSocket),
                                    "ntpersocket"),
                            Field.of("ORIGIN", always("NA"), "origin"),
                            Field.of("ORIGIN_RAW", always("NA"), "originraw"),
                            Field.of("PENDING_TIME", JobFields::pendingSeconds, "pendingtime"),
                            Field.of("PREEMPT_TIME", time(Job::getPreemptMicros), "preemptime"),
                            Field.of("PROFILE", always("NotSet"), "profile"),
                            Field.of("REBOOT", number(_ -> 0), "reboot"),
                            Field.of("REQUEUE", number(job -> job.getRequeue() ? 1 : 0), "requeue"),
                            Field.of(
                                    "REQ_SWITCH",
                                    always("0"), // switches are a hint that has no effect
                                    "reqswitch"),
                            Field.of(
                                    "RESTART_COUNT",
                                    number(job -> unsigned(job.getRestarts())),
                                    "restartcnt"),
                            Field.of("ACTIVE_SIBLINGS", always("NA"), "siblingsactive"),
                            Field.of("ACTIVE_SIBLINGS_RAW", always("NA"), "siblingsactiveraw"),
                            Field.of("VIABLE_SIBLINGS", always("NA"), "siblingsviable"),
                            Field.of("VIALBLE_SIBLINGS_RAW", always("NA"), "siblingsviableraw"),
                            Field.of("SOCKETS_PER_BOARD", always("0"), "sperboard"),
                            Field.of("STDERR", plain(Job::getStdErr), "stderr"),
                            Field.of("STDIN", plain(Job::getStdIn), "stdin"),
                            Field.of("STDOUT", plain(Job::getStdOut), "stdout"),
                            Field.of("SYSTEM_COMMENT", always("(null)"), "system_comment"),
                            Field.of(
                                    "TASKS",
                                    number(job -> unsigned(job.getNumTasks())),
                                    "numtasks",
                                    "ntasks"),
                            Field.of(
                                    "TRES_ALLOC",
                                    orNotApplicable(JobFields::tres),
                                    "tres-alloc",
                                    "tres"),
                            Field.of(
                                    "TRES_BIND",
                                    orNotApplicable(
                                            job -> JobText.binding(job.getRequest().getGpuBind())),
                                    "tres-bind"),
                            Field.of("TRES_FREQ", always("N/A"), "tres-freq"),
                            Field.of("WAIT4SWITCH", always("0:00"), "wait4switch"),
                            Field.of(
                                    "TRES_PER_JOB",
                                    orNotApplicable(Job::getTresPerJob),
                                    "tres-per-job"),
                            Field.of(
                                    "TRES_PER_SOCKET",
                                    orNotApplicable(
                                            job -> gres(job.getRequest().getGresPerSocket())),
                                    "tres-per-socket"),
                            Field.of(
                                    "TRES_PER_TASK",
                                    orNotApplicable(job -> gres(job.getRequest().getGresPerTask())),
                                    "tres-per-task")));

    /// Letters of what every form of a listing carries.
    private static final String IN_QUEUE = "AFiKjuUPtTrRQpMlLNBDCSe";

    /// Letters and `-O` names of what only the full form carries.
    private static final String DETAILED_LETTERS = "dgGHIJXyYz";

    private static final Set<String> LISTED_NAMES =
            Set.of(
                    "nodes",
                    "batchflag",
                    "eligibletime",
                    "exit_code",
                    "hetjobid",
                    "hetjoboffset",
                    "pendingtime",
                    "restartcnt",
                    "numtasks");

    private JobFields() {}

    /// How much of each job the controller must send for these fields and this order.
    static JobDetail detail(Set<Field<Job>> fields, String sort) {
        if (fields.stream().anyMatch(JobFields::isDetailed)
                || sort.chars().anyMatch(letter -> DETAILED_LETTERS.indexOf(letter) >= 0)) {
            return JobDetail.JOB_DETAIL_FULL;
        }
        var isInQueue =
                fields.stream().allMatch(field -> IN_QUEUE.indexOf(field.letter()) >= 0)
                        && sort.chars()
                                .allMatch(c -> !Character.isLetter(c) || IN_QUEUE.indexOf(c) >= 0);
        return isInQueue ? JobDetail.JOB_DETAIL_QUEUE : JobDetail.JOB_DETAIL_LISTING;
    }

    private static boolean isDetailed(Field<Job> field) {
        return field.letter() == Field.NO_LETTER
                ? field.names().stream().noneMatch(LISTED_NAMES::contains)
                : DETAILED_LETTERS.indexOf(field.letter()) >= 0;
    }

    private static Field.Cell<Job> plain(Function<Job, String> value) {
        return (text, job, _) -> text.append(value.apply(job));
    }

    private static Field.Cell<Job> orNull(Function<Job, String> value) {
        return (text, job, _) -> JobText.orNull(text, value.apply(job));
    }

    private static Field.Cell<Job> orNotApplicable(Function<Job, String> value) {
        return (text, job, _) -> JobText.orNotApplicable(text, value.apply(job));
    }

    private static Field.Cell<Job> number(ToLongFunction<Job> value) {
        return (text, job, _) -> text.append(value.applyAsLong(job));
    }

    private static Field.Cell<Job> time(ToLongFunction<Job> micros) {
        return (text, job, view) -> view.times().append(text, micros.applyAsLong(job), "N/A");
    }

    private static Field.Cell<Job> orStar(ToIntFunction<ResourceRequest> count) {
        return (text, job, _) -> star(text, count.applyAsInt(job.getRequest()));
    }

    /// As wait(2) gives it, which is what Slurm shows.
    private static Field.Cell<Job> status(ToIntFunction<Job> exit, ToIntFunction<Job> signal) {
        return number(job -> exit.applyAsInt(job) << 8 | signal.applyAsInt(job));
    }

    /// Of something that exists in Slurm alone.
    private static Field.Cell<Job> always(String value) {
        return (text, _, _) -> text.append(value);
    }

    private static Field.Cell<Job> orNotApplicableIfNone(ToIntFunction<ResourceRequest> count) {
        return (text, job, _) -> {
            var value = count.applyAsInt(job.getRequest());
            orNotApplicableIf(text, value == 0, value);
        };
    }

    private static void star(StringBuilder text, int count) {
        if (count == 0) {
            text.append('*');
        } else {
            text.append(count);
        }
    }

    private static void batchHost(StringBuilder text, Job job, View view) {
        text.append(job.getBatchHost().isEmpty() ? "n/a" : job.getBatchHost());
    }

    private static void temporaryDisk(StringBuilder text, Job job, View view) {
        view.memory(text, job.getRequest().getTmpDiskMb());
    }

    /// A job without a limit has no end to name, though Slurm knows a start.
    private static void end(StringBuilder text, Job job, View view) {
        var isOpen =
                job.getTimeLimit().getUnlimited()
                        && job.getStartMicros() != 0
                        && (job.getEndMicros() == 0 || job.getEndMicros() > view.nowMicros());
        if (isOpen) {
            text.append("NONE");
        } else {
            view.times().append(text, job.getEndMicros(), "N/A");
        }
    }

    private static long arrayOrJobId(Job job) {
        return unsigned(job.getArrayJobId() != 0 ? job.getArrayJobId() : job.getJobId());
    }

    private static void groupName(StringBuilder text, Job job, View view) {
        text.append(JobText.groupName(job, view));
    }

    private static void userName(StringBuilder text, Job job, View view) {
        if (job.getUserName().isEmpty()) {
            text.append(unsigned(job.getUid()));
        } else {
            text.append(job.getUserName());
        }
    }

    private static void arrayTasks(StringBuilder text, Job job, View view) {
        if (job.hasArrayTaskId()) {
            text.append(unsigned(job.getArrayTaskId()));
        } else if (!job.getArrayPending().isEmpty()) {
            JobText.waitingTasks(text, job, view);
        } else {
            text.append("N/A");
        }
    }

    private static void timeLeft(StringBuilder text, Job job, View view) {
        var limit = job.getTimeLimit();
        if (limit.hasMinutes()) {
            JobText.seconds(
                    text, Math.max(0, unsigned(limit.getMinutes()) * 60 - job.getRunSeconds()));
        } else {
            JobText.limit(text, limit);
        }
    }

    private static void priorityFraction(StringBuilder text, Job job, View view) {
        text.append(
                String.format(
                        Locale.ROOT, "%.14f", unsigned(job.getPriority()) / LARGEST_PRIORITY));
    }

    private static void nodesOrReason(StringBuilder text, Job job, View view) {
        if (JobText.showsReason(job)) {
            text.append('(');
            JobText.reason(text, job);
            text.append(')');
        } else {
            text.append(job.getNodeList());
        }
    }

    private static void stateCode(StringBuilder text, Job job, View view) {
        text.append(StateWords.code(job.getState()));
    }

    private static void coreSpecialization(StringBuilder text, Job job, View view) {
        var cores = job.getSpec().getCoreSpec();
        if (cores == 0) {
            text.append("N/A");
        } else {
            text.append(cores);
        }
    }

    private static void socketsCoresThreads(StringBuilder text, Job job, View view) {
        var request = job.getRequest();
        star(text, request.getSocketsPerNode());
        star(text.append(':'), request.getCoresPerSocket());
        star(text.append(':'), request.getThreadsPerCore());
    }

    private static void hetJobId(StringBuilder text, Job job, View view) {
        orNotApplicableIf(text, job.getHetJobId() == 0, unsigned(job.getHetJobId()));
    }

    private static void hetOffset(StringBuilder text, Job job, View view) {
        orNotApplicableIf(text, job.getHetJobId() == 0, job.getHetOffset());
    }

    private static void orNotApplicableIf(StringBuilder text, boolean isMissing, long value) {
        if (isMissing) {
            text.append("N/A");
        } else {
            text.append(value);
        }
    }

    private static void timeMin(StringBuilder text, Job job, View view) {
        var least = job.getSpec().getTimeMin();
        if (least.hasMinutes()) {
            JobText.limit(text, least);
        } else {
            text.append("N/A");
        }
    }

    private static void pendingSeconds(StringBuilder text, Job job, View view) {
        var until =
                JobText.isPending(job) || job.getStartMicros() == 0
                        ? view.nowMicros()
                        : job.getStartMicros();
        text.append(Math.max(0, until - job.getSubmitMicros()) / 1_000_000);
    }

    private static void cpusPerGpu(StringBuilder text, Job job, View view) {
        var cpus = job.getRequest().getCpusPerGpu();
        text.append(cpus == 0 ? "N/A" : "gres:gpu:" + cpus);
    }

    private static void memoryPerGpu(StringBuilder text, Job job, View view) {
        var request = job.getRequest();
        text.append(request.hasMemPerGpuMb() ? "gres:gpu:" + request.getMemPerGpuMb() : "N/A");
    }

    private static String tres(Job job) {
        return job.getTresAlloc().isEmpty() ? job.getTres() : job.getTresAlloc();
    }

    private static String gres(String request) {
        return request.isEmpty() ? "" : "gres:" + request;
    }
}
