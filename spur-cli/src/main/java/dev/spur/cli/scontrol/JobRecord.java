package dev.spur.cli.scontrol;

import static dev.spur.cli.squeue.JobText.unsigned;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.TimeLimit;
import dev.spur.api.view.JobTable;
import dev.spur.cli.format.View;
import dev.spur.cli.squeue.JobText;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;

/// A job as `scontrol show job` lays it out.
final class JobRecord {
    private final Job job;
    private final View view;
    private final RecordText record;
    private final boolean isDetailed;

    private JobRecord(Job job, View view, boolean isOneLine, boolean isDetailed) {
        this.job = job;
        this.view = view;
        this.record = new RecordText(isOneLine);
        this.isDetailed = isDetailed;
    }

    static String of(Job job, View view, boolean isOneLine, boolean isDetailed) {
        return new JobRecord(job, view, isOneLine, isDetailed).text();
    }

    private String text() {
        record.line(identity());
        record.line(
                "UserId=%s GroupId=%s MCS_label=%s"
                        .formatted(
                                named(job.getUserName(), job.getUid()),
                                named(JobText.groupName(job, view), job.getGid()),
                                or(job.getSpec().getMcsLabel(), "N/A")));
        record.line(
                "Priority=%d Nice=%d Account=%s QOS=%s"
                                .formatted(
                                        unsigned(job.getPriority()),
                                        job.getNice(),
                                        orNull(job.getAccount()),
                                        orNull(job.getQos()))
                        + (job.getWckey().isEmpty() ? "" : " WCKey=" + job.getWckey()));
        record.line(
                "JobState=%s Reason=%s Dependency=%s"
                                .formatted(job.getState(), reason(), orNull(job.getDependency()))
                        + (job.getFailedNode().isEmpty()
                                ? ""
                                : " FailedNode=" + job.getFailedNode()));
        record.line(
                "Requeue=%d Restarts=%d BatchFlag=%d Reboot=0 ExitCode=%d:%d"
                        .formatted(
                                flag(job.getRequeue()),
                                unsigned(job.getRestarts()),
                                flag(job.getBatch()),
                                job.getExitCode(),
                                job.getExitSignal()));
        if (isDetailed) {
            record.line(
                    "DerivedExitCode=%d:%d"
                            .formatted(job.getDerivedExitCode(), job.getDerivedExitSignal()));
        }
        times();
        placement();
        resources();
        files();
        return record.toString();
    }

    private String identity() {
        var text = new StringBuilder("JobId=").append(unsigned(job.getJobId())).append(' ');
        if (job.getArrayJobId() != 0) {
            text.append("ArrayJobId=")
                    .append(unsigned(job.getArrayJobId()))
                    .append(" ArrayTaskId=");
            if (job.hasArrayTaskId()) {
                text.append(unsigned(job.getArrayTaskId()));
            } else {
                JobText.waitingTasks(text, job, view);
            }
            text.append(
                    job.getArrayThrottle() == 0
                            ? " "
                            : " ArrayTaskThrottle=" + job.getArrayThrottle() + " ");
        } else if (job.getHetJobId() != 0) {
            text.append("HetJobId=").append(unsigned(job.getHetJobId()));
            text.append(" HetJobOffset=").append(job.getHetOffset()).append(' ');
        }
        return text.append("JobName=").append(job.getName()).toString();
    }

    /// One word, so that the record stays a list of pairs.
    private String reason() {
        var text = new StringBuilder();
        JobText.reason(text, job);
        return text.toString().replace(' ', '_');
    }

    private void times() {
        record.line(
                "RunTime=%s TimeLimit=%s TimeMin=%s"
                        .formatted(
                                Durations.padded(Duration.ofSeconds(job.getRunSeconds())),
                                limit(job.getTimeLimit(), "Partition_Limit"),
                                limit(job.getSpec().getTimeMin(), "N/A")));
        record.line(
                "SubmitTime=%s EligibleTime=%s"
                        .formatted(
                                time(job.getSubmitMicros(), "Unknown"),
                                time(job.getEligibleMicros(), "Unknown")));
        record.line("AccrueTime=" + time(job.getAccrueMicros(), "Unknown"));
        record.line(
                "StartTime=%s EndTime=%s Deadline=%s"
                        .formatted(
                                time(job.getStartMicros(), "Unknown"),
                                end(),
                                time(job.getSpec().getDeadlineMicros(), "N/A")));
        if (!JobText.isPending(job) && job.getStartMicros() != 0) {
            record.line(
                    "PreemptEligibleTime=%s PreemptTime=%s"
                            .formatted(
                                    time(job.getStartMicros(), "None"),
                                    time(job.getPreemptMicros(), "None")));
        }
        record.line(
                "SuspendTime=%s SecsPreSuspend=%d LastSchedEval=%s Scheduler=Main"
                        .formatted(
                                time(job.getSuspendMicros(), "None"),
                                job.getPreSuspendSeconds(),
                                time(job.getLastSchedEvalMicros(), "Unknown")));
    }

    /// A job without a limit may run on and on.
    private String end() {
        var isOpen = job.getTimeLimit().getUnlimited() && job.getEndMicros() > view.nowMicros();
        return time(isOpen ? 0 : job.getEndMicros(), "Unknown");
    }

    private void placement() {
        var request = job.getRequest();
        record.line(
                "Partition=%s AllocNode:Sid=%s:%d"
                        .formatted(
                                job.getPartition(),
                                orNull(job.getSpec().getSubmitHost()),
                                unsigned(job.getSpec().getAllocSid())));
        record.line(
                "ReqNodeList=%s ExcNodeList=%s"
                        .formatted(orNull(request.getNodeList()), orNull(request.getExclude())));
        record.line("NodeList=" + job.getNodeList());
        record.lineUnlessEmpty("BatchHost", job.getBatchHost());
        record.lineUnlessEmpty("SchedNodeList", job.getSchedNodes());
    }

    private void resources() {
        var request = job.getRequest();
        record.line(
                "NumNodes=%s NumCPUs=%d NumTasks=%d CPUs/Task=%d ReqB:S:C:T=0:0:%s:%s"
                        .formatted(
                                nodes(),
                                unsigned(job.getNumCpus()),
                                unsigned(job.getNumTasks()),
                                Math.max(1, request.getCpusPerTask()),
                                star(request.getCoresPerSocket()),
                                star(request.getThreadsPerCore())));
        record.line(
                "TRES="
                        + orNull(
                                job.getTresAlloc().isEmpty() ? job.getTres() : job.getTresAlloc()));
        record.line(
                "Socks/Node=%s NtasksPerN:B:S:C=%d:0:%s:%s CoreSpec=%s"
                        .formatted(
                                star(request.getSocketsPerNode()),
                                request.getTasksPerNode(),
                                star(request.getTasksPerSocket()),
                                star(request.getTasksPerCore()),
                                star(job.getSpec().getCoreSpec())));
        if (isDetailed && job.getNodesCount() > 0) {
            allocations();
        }
        record.line(
                "MinCPUsNode=%d %s=%s MinTmpDiskNode=%s"
                        .formatted(
                                JobText.leastCpusPerNode(job),
                                request.hasMemPerCpuMb() ? "MinMemoryCPU" : "MinMemoryNode",
                                leastMemory(),
                                memory(request.getTmpDiskMb())));
        record.line(
                "Features=%s DelayBoot=%s"
                        .formatted(
                                orNull(request.getConstraint()),
                                Durations.padded(
                                        Duration.ofSeconds(
                                                unsigned(job.getSpec().getDelayBootSecs())))));
        record.lineUnlessEmpty("Reservation", job.getReservation());
        record.line(
                "OverSubscribe=%s Contiguous=%d Licenses=%s Network=%s"
                        .formatted(
                                JobText.sharing(job),
                                flag(job.getContiguous()),
                                orNull(job.getLicenses()),
                                orNull(job.getSpec().getNetwork())));
    }

    /// While a job waits, how many nodes it may get at most stands beside how few it needs.
    private String nodes() {
        var least = unsigned(job.getNumNodes());
        var most = unsigned(job.getMaxNodes());
        if (!JobText.isPending(job) || most == 0) {
            return Long.toString(least);
        }
        return Math.min(least, most) + "-" + most;
    }

    private void allocations() {
        record.line("JOB_GRES=" + orNull(totalGres()));
        var alike = new LinkedHashMap<String, List<String>>();
        for (var node : job.getNodesList()) {
            var what =
                    "CPU_IDs=%s Mem=%d GRES=%s"
                            .formatted(node.getCpuIds(), node.getMemMb(), JobTable.gres(node));
            alike.computeIfAbsent(what, _ -> new ArrayList<>()).add(node.getNode());
        }
        alike.forEach((what, names) ->
                record.line("  Nodes=%s %s".formatted(Hostlist.compress(names), what)));
    }

    private String totalGres() {
        var counts = new LinkedHashMap<String, Integer>();
        for (var node : job.getNodesList()) {
            node.getGresList()
                    .forEach(gres ->
                            counts.merge(
                                    JobTable.kind(gres), gres.getIndicesCount(), Integer::sum));
        }
        return counts.entrySet().stream()
                .map(entry -> entry.getKey() + ":" + entry.getValue())
                .collect(Collectors.joining(","));
    }

    private void files() {
        var spec = job.getSpec();
        record.line("Command=" + orNull(job.getCommand()));
        record.line("WorkDir=" + job.getWorkDir());
        record.lineUnlessEmpty("Switches", job.getRequest().getSwitches());
        record.lineUnlessEmpty("ClusterFeatures", spec.getClusterFeatures());
        record.lineUnlessEmpty("Prefer", job.getRequest().getPrefer());
        record.lineUnlessEmpty("AdminComment", blankBehind(spec.getAdminComment()));
        record.lineUnlessEmpty("Comment", blankBehind(job.getComment()));
        record.lineUnlessEmpty("Container", spec.getContainer());
        if (job.getBatch()) {
            record.line("StdErr=" + job.getStdErr());
            record.line("StdIn=" + job.getStdIn());
            record.line("StdOut=" + job.getStdOut());
        }
        record.line("Power=");
        tresPer(job.getRequest());
        record.line(mail());
    }

    private void tresPer(ResourceRequest request) {
        record.lineUnlessEmpty(
                "CpusPerTres",
                request.getCpusPerGpu() == 0 ? "" : "gres:gpu:" + request.getCpusPerGpu());
        record.lineUnlessEmpty(
                "MemPerTres",
                request.hasMemPerGpuMb() ? "gres:gpu:" + request.getMemPerGpuMb() : "");
        record.lineUnlessEmpty("TresBind", JobText.binding(request.getGpuBind()));
        record.lineUnlessEmpty("TresPerJob", job.getTresPerJob());
        record.lineUnlessEmpty("TresPerNode", job.getTresPerNode());
        record.lineUnlessEmpty("TresPerSocket", gres(request.getGresPerSocket()));
        record.lineUnlessEmpty("TresPerTask", gres(request.getGresPerTask()));
    }

    /// The last line is there even when it is empty.
    private String mail() {
        var spec = job.getSpec();
        return spec.getMailType().isEmpty()
                ? ""
                : "MailUser=%s MailType=%s"
                        .formatted(or(spec.getMailUser(), job.getUserName()), spec.getMailType());
    }

    private String leastMemory() {
        var text = new StringBuilder();
        JobText.leastMemory(text, job, view);
        return text.toString();
    }

    private String memory(long mebibytes) {
        var text = new StringBuilder();
        view.memory(text, mebibytes);
        return text.toString();
    }

    private String time(long micros, String missing) {
        return view.times().text(micros, missing);
    }

    static String limit(TimeLimit limit, String unset) {
        return switch (limit.getLimitCase()) {
            case MINUTES -> Durations.padded(Duration.ofMinutes(unsigned(limit.getMinutes())));
            case UNLIMITED -> "UNLIMITED";
            case LIMIT_NOT_SET -> unset;
        };
    }

    private static String gres(String request) {
        return request.isEmpty() ? "" : "gres:" + request;
    }

    private static String named(String name, int number) {
        var id = unsigned(number);
        return "%s(%d)".formatted(or(name, Long.toString(id)), id);
    }

    private static String blankBehind(String text) {
        return text.isEmpty() ? "" : text + " ";
    }

    private static String star(int count) {
        return count == 0 ? "*" : Integer.toString(count);
    }

    private static int flag(boolean isSet) {
        return isSet ? 1 : 0;
    }

    private static String orNull(String text) {
        return or(text, "(null)");
    }

    private static String or(String text, String otherwise) {
        return text.isEmpty() ? otherwise : text;
    }
}
