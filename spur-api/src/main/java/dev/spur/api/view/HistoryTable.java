package dev.spur.api.view;

import static dev.spur.api.view.EntityTable.unsigned;

import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.StepRecord;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.NotationException;
import java.util.List;

/// What there is to see of jobs and steps of the past.
public final class HistoryTable {
    private static final long MICROS = 1_000_000;

    /// A step with the job that it is of.
    private record Step(JobRecord job, StepRecord record) {}

    private static final EntityTable<Step> STEPS =
            EntityTable.<Step>of("past step", "step")
                    .text("id", "step.id", "job and step, as 12.0", HistoryTable::stepId)
                    .text("name", "step.name", "name", step -> step.record().getName())
                    .text("state", "", "state", step -> step.record().getState())
                    .words("", "state", "", step -> List.of(step.record().getState()))
                    .instant(
                            "started_at",
                            "time.start",
                            "when it started",
                            step -> step.record().getStartMicros())
                    .instant(
                            "ended_at",
                            "time.end",
                            "when it ended",
                            step -> step.record().getEndMicros())
                    .field(
                            "run_seconds",
                            Field.Kind.NUMBER,
                            "time.elapsed",
                            "how long it ran",
                            (step, out) ->
                                    out.number(
                                            elapsed(
                                                    step.record().getStartMicros(),
                                                    step.record().getEndMicros(),
                                                    step.record().getSuspendedSeconds(),
                                                    out.now())))
                    .number(
                            "suspended_seconds",
                            "time.suspended",
                            "how long it stood still",
                            step -> step.record().getSuspendedSeconds())
                    .field(
                            "exit",
                            Field.Kind.EXIT,
                            "exit_code",
                            "how it ended",
                            (step, out) ->
                                    out.exit(
                                            step.record().getExitCode(),
                                            step.record().getExitSignal()))
                    .text("nodes", "nodes.range", "nodes", step -> step.record().getNodeList())
                    .words("", "nodes.list", "", step -> hosts(step.record().getNodeList()))
                    .count(
                            "node_count",
                            "nodes.count",
                            "number of nodes",
                            step -> step.record().getNodeCount())
                    .count("tasks", "tasks.count", "tasks", step -> step.record().getTasks())
                    .text(
                            "distribution",
                            "task.distribution",
                            "how tasks were laid out",
                            step -> step.record().getDistribution())
                    .number(
                            "user_micros",
                            "",
                            "processor time of programs",
                            step -> step.record().getUsage().getUserMicros())
                    .number(
                            "system_micros",
                            "",
                            "processor time of the system",
                            step -> step.record().getUsage().getSystemMicros())
                    .number(
                            "",
                            "time.user.seconds",
                            "",
                            step -> step.record().getUsage().getUserMicros() / MICROS)
                    .number(
                            "",
                            "time.user.microseconds",
                            "",
                            step -> step.record().getUsage().getUserMicros() % MICROS)
                    .number(
                            "",
                            "time.system.seconds",
                            "",
                            step -> step.record().getUsage().getSystemMicros() / MICROS)
                    .number(
                            "",
                            "time.system.microseconds",
                            "",
                            step -> step.record().getUsage().getSystemMicros() % MICROS)
                    .number("", "time.total.seconds", "", step -> total(step.record()) / MICROS)
                    .number(
                            "",
                            "time.total.microseconds",
                            "",
                            step -> total(step.record()) % MICROS)
                    .number(
                            "max_rss_kb",
                            "",
                            "most memory of a task in KiB",
                            step -> step.record().getUsage().getMaxRssKb())
                    .amountsById(
                            "tres",
                            "tres.allocated",
                            "resources",
                            step -> step.record().getTresAllocatedMap())
                    .text(
                            "submit_line",
                            "",
                            "command that started it",
                            step -> step.record().getSubmitLine())
                    .build();

    public static final EntityTable<JobHistory> JOBS = jobs().build();

    private HistoryTable() {}

    private static EntityTable.Builder<JobHistory> jobs() {
        return times(
                EntityTable.<JobHistory>of("record", "job")
                        .number(
                                "id",
                                "job_id",
                                "number of the job",
                                each -> unsigned(each.getJob().getJobId()))
                        .text("name", "name", "name", each -> each.getJob().getName())
                        .text("cluster", "cluster", "cluster", JobHistory::getCluster)
                        .numberIf(
                                "array_id",
                                "",
                                "number of the array that it is a task of",
                                each -> each.getJob().getArrayJobId() != 0,
                                each -> unsigned(each.getJob().getArrayJobId()))
                        .number(
                                "",
                                "array.job_id",
                                "",
                                each -> unsigned(each.getJob().getArrayJobId()))
                        .numberIf(
                                "array_task",
                                "array.task_id",
                                "its place in the array",
                                each -> each.getJob().hasArrayTaskId(),
                                each -> unsigned(each.getJob().getArrayTaskId()))
                        .text(
                                "array_waiting",
                                "array.task",
                                "tasks of the array that have not started",
                                each -> each.getJob().getArrayPending())
                        .numberIf(
                                "het_id",
                                "",
                                "number of the heterogeneous job",
                                each -> each.getJob().getHetJobId() != 0,
                                each -> unsigned(each.getJob().getHetJobId()))
                        .number("", "het.job_id", "", each -> unsigned(each.getJob().getHetJobId()))
                        .number(
                                "het_offset",
                                "het.job_offset",
                                "its place there",
                                each -> unsigned(each.getJob().getHetOffset()))
                        .number(
                                "attempt",
                                "",
                                "number of this try",
                                each -> unsigned(each.getJob().getAttempt()))
                        .text(
                                "user",
                                "user,association.user",
                                "name of the owner",
                                each -> each.getJob().getUserName())
                        .number(
                                "uid",
                                "",
                                "uid of the owner",
                                each -> unsigned(each.getJob().getUid()))
                        .text("group", "group", "group", each -> each.getJob().getGroupName())
                        .text(
                                "account",
                                "account,association.account",
                                "account that was charged",
                                each -> each.getJob().getAccount())
                        .text("", "association.cluster", "", JobHistory::getCluster)
                        .number(
                                "",
                                "association.id",
                                "",
                                each -> unsigned(each.getJob().getAssociationId()))
                        .text(
                                "partition",
                                "partition",
                                "partition",
                                each -> each.getJob().getPartition())
                        .text("qos", "qos", "quality of service", each -> each.getJob().getQos())
                        .text(
                                "wckey",
                                "wckey.wckey",
                                "workload characterization key",
                                each -> each.getJob().getWckey())
                        .text(
                                "reservation",
                                "reservation.name",
                                "reservation",
                                each -> each.getJob().getReservation())
                        .text("state", "", "state", each -> each.getJob().getState())
                        .words("", "state.current", "", each -> List.of(each.getJob().getState()))
                        .text(
                                "reason",
                                "state.reason",
                                "why it is in it",
                                each ->
                                        each.getJob().getReason().isEmpty()
                                                ? "None"
                                                : each.getJob().getReason())
                        .field(
                                "exit",
                                Field.Kind.EXIT,
                                "exit_code",
                                "how its script ended",
                                (each, out) ->
                                        out.exit(
                                                each.getJob().getExitCode(),
                                                each.getJob().getExitSignal()))
                        .field(
                                "worst_exit",
                                Field.Kind.EXIT,
                                "derived_exit_code",
                                "the worst end of its steps",
                                (each, out) ->
                                        out.exit(
                                                each.getJob().getDerivedExitCode(),
                                                each.getJob().getDerivedExitSignal()))
                        .number(
                                "restarts",
                                "restart_cnt",
                                "how often it began anew",
                                each -> unsigned(each.getJob().getRestarts()))
                        .number(
                                "priority",
                                "priority",
                                "priority",
                                each -> unsigned(each.getJob().getPriority()))
                        .text("nodes", "nodes", "nodes it had", each -> each.getJob().getNodeList())
                        .number(
                                "node_count",
                                "allocation_nodes",
                                "number of nodes",
                                each -> unsigned(each.getJob().getNodeCount()))
                        .number(
                                "cpus",
                                "",
                                "CPUs it had",
                                each -> unsigned(each.getJob().getAllocCpus()))
                        .number(
                                "cpus_requested",
                                "required.CPUs",
                                "CPUs it asked for",
                                each -> unsigned(each.getJob().getReqCpus()))
                        .numberIf(
                                "memory_mb",
                                "required.memory_per_node",
                                "memory it asked for, of each node in MiB",
                                each -> !each.getJob().getFlags().contains("MemPer"),
                                each -> each.getJob().getReqMemMb())
                        .numberIf(
                                "memory_per_cpu_mb",
                                "required.memory_per_cpu",
                                "memory it asked for, of each CPU in MiB",
                                each -> each.getJob().getFlags().contains("MemPerCPU"),
                                each -> each.getJob().getReqMemMb())
                        .amountsById(
                                "tres",
                                "tres.allocated",
                                "resources it had",
                                each -> each.getJob().getTresAllocatedMap())
                        .amountsById(
                                "tres_requested",
                                "tres.requested",
                                "resources it asked for",
                                each -> each.getJob().getTresRequestedMap())
                        .text(
                                "gres_used",
                                "used_gres",
                                "devices it had",
                                each -> each.getJob().getGresUsed())
                        .text(
                                "constraint",
                                "constraints",
                                "features it asked for",
                                each -> each.getJob().getConstraint())
                        .text(
                                "licenses",
                                "licenses",
                                "licenses",
                                each -> each.getJob().getLicenses())
                        .text(
                                "container",
                                "container",
                                "container",
                                each -> each.getJob().getContainer())
                        .text(
                                "failed_node",
                                "failed_node",
                                "node by which it failed",
                                each -> each.getJob().getFailedNode())
                        .text(
                                "comment",
                                "comment.job",
                                "the owner's comment",
                                each -> each.getJob().getComment())
                        .text(
                                "admin_comment",
                                "comment.administrator",
                                "the administrators' comment",
                                each -> each.getJob().getAdminComment())
                        .text(
                                "system_comment",
                                "comment.system",
                                "the system's comment",
                                each -> each.getJob().getSystemComment())
                        .text(
                                "mcs_label",
                                "mcs.label",
                                "MCS label",
                                each -> each.getJob().getMcsLabel())
                        .text(
                                "work_dir",
                                "working_directory",
                                "working directory",
                                each -> each.getJob().getWorkDir())
                        .text(
                                "submit_line",
                                "submit_line",
                                "command that submitted it",
                                each -> each.getJob().getSubmitLine())
                        .text(
                                "std_out",
                                "stdout,stdout_expanded",
                                "file of its output",
                                each -> each.getJob().getStdOut())
                        .text(
                                "std_err",
                                "stderr,stderr_expanded",
                                "file of its errors",
                                each -> each.getJob().getStdErr())
                        .text(
                                "std_in",
                                "stdin,stdin_expanded",
                                "file of its input",
                                each -> each.getJob().getStdIn())
                        .list(
                                "steps",
                                "steps",
                                "its steps",
                                STEPS,
                                each ->
                                        each.getStepsList().stream()
                                                .map(step -> new Step(each.getJob(), step))
                                                .toList()));
    }

    private static EntityTable.Builder<JobHistory> times(EntityTable.Builder<JobHistory> table) {
        return table.instant(
                        "submitted_at",
                        "time.submission",
                        "when it was submitted",
                        each -> each.getJob().getSubmitMicros())
                .instant(
                        "eligible_at",
                        "time.eligible",
                        "when it might start",
                        each -> each.getJob().getEligibleMicros())
                .instant(
                        "started_at",
                        "time.start",
                        "when it started",
                        each -> each.getJob().getStartMicros())
                .instant(
                        "ended_at",
                        "time.end",
                        "when it ended",
                        each -> each.getJob().getEndMicros())
                .field(
                        "run_seconds",
                        Field.Kind.NUMBER,
                        "time.elapsed",
                        "how long it ran",
                        (each, out) ->
                                out.number(
                                        elapsed(
                                                each.getJob().getStartMicros(),
                                                each.getJob().getEndMicros(),
                                                each.getJob().getSuspendedSeconds(),
                                                out.now())))
                .number(
                        "suspended_seconds",
                        "time.suspended",
                        "how long it stood still",
                        each -> each.getJob().getSuspendedSeconds())
                .number(
                        "waited_seconds",
                        "time.planned",
                        "how long it waited",
                        each -> each.getJob().getPlannedMicros() / MICROS)
                .limit(
                        "time_limit",
                        "time.limit",
                        "minutes it might run",
                        each -> each.getJob().getTimeLimit())
                .number("user_micros", "", "processor time of programs", each -> user(each))
                .number("system_micros", "", "processor time of the system", each -> system(each))
                .number("", "time.user.seconds", "", each -> user(each) / MICROS)
                .number("", "time.user.microseconds", "", each -> user(each) % MICROS)
                .number("", "time.system.seconds", "", each -> system(each) / MICROS)
                .number("", "time.system.microseconds", "", each -> system(each) % MICROS)
                .number("", "time.total.seconds", "", each -> (user(each) + system(each)) / MICROS)
                .number(
                        "",
                        "time.total.microseconds",
                        "",
                        each -> (user(each) + system(each)) % MICROS);
    }

    private static long user(JobHistory each) {
        return each.getStepsList().stream()
                .mapToLong(step -> step.getUsage().getUserMicros())
                .sum();
    }

    private static long system(JobHistory each) {
        return each.getStepsList().stream()
                .mapToLong(step -> step.getUsage().getSystemMicros())
                .sum();
    }

    private static long total(StepRecord step) {
        return step.getUsage().getUserMicros() + step.getUsage().getSystemMicros();
    }

    private static long elapsed(long start, long end, long suspendedSeconds, long now) {
        if (start == 0) {
            return 0;
        }
        return Math.max(0, ((end == 0 ? now : end) - start) / MICROS - suspendedSeconds);
    }

    private static String stepId(Step step) {
        return unsigned(step.job().getJobId()) + "." + StepTable.number(step.record().getStepId());
    }

    private static List<String> hosts(String list) {
        try {
            return Hostlist.parse(list).hosts();
        } catch (NotationException _) {
            return List.of();
        }
    }
}
