package dev.spur.cli.squeue;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.TimeLimit;
import dev.spur.cli.format.View;
import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.Durations;
import dev.spur.model.notation.NotationException;
import java.time.Duration;

/// Texts made of a job that more than one command shows.
public final class JobText {
    private JobText() {}

    /// `38`, `40_1`, `40_[3-10%2]`, `66+1`.
    public static void id(StringBuilder text, Job job, View view) {
        if (job.hasArrayTaskId()) {
            text.append(unsigned(job.getArrayJobId()))
                    .append('_')
                    .append(unsigned(job.getArrayTaskId()));
        } else if (!job.getArrayPending().isEmpty()) {
            text.append(unsigned(job.getArrayJobId())).append("_[");
            waitingTasks(text, job, view);
            text.append(']');
        } else if (job.getHetJobId() != 0) {
            text.append(unsigned(job.getHetJobId())).append('+').append(job.getHetOffset());
        } else {
            text.append(unsigned(job.getJobId()));
        }
    }

    /// `3-10%2`: the tasks of an array that have not started, cut when there are too many to read.
    public static void waitingTasks(StringBuilder text, Job job, View view) {
        var tasks = job.getArrayPending();
        if (view.arrayTextLength() == 0 || tasks.length() < view.arrayTextLength() - 3) {
            text.append(tasks);
            return;
        }
        try {
            text.append(
                    ArraySpec.parse(tasks, ArraySpec.LARGEST_MAX_ARRAY_SIZE)
                            .abbreviated(view.arrayTextLength()));
        } catch (NotationException _) {
            text.append(tasks);
        }
    }

    /// Why the job waits, or why it failed, with the controller's details.
    public static void reason(StringBuilder text, Job job) {
        var reason = job.getReason();
        text.append(reason.isEmpty() ? "None" : reason).append(job.getReasonDetail());
    }

    /// Whether a listing shows the reason in place of the nodes.
    static boolean showsReason(Job job) {
        return !job.getState().equals("COMPLETING")
                && switch (job.getBaseState()) {
                    case "PENDING", "FAILED", "TIMEOUT", "DEADLINE", "OUT_OF_MEMORY" -> true;
                    default -> false;
                };
    }

    public static boolean isPending(Job job) {
        return job.getBaseState().equals("PENDING");
    }

    /// `30:00`, `1-00:00:00`, `UNLIMITED`.
    static void limit(StringBuilder text, TimeLimit limit) {
        switch (limit.getLimitCase()) {
            case MINUTES -> seconds(text, Integer.toUnsignedLong(limit.getMinutes()) * 60);
            case UNLIMITED -> text.append("UNLIMITED");
            case LIMIT_NOT_SET -> text.append("NOT_SET");
        }
    }

    static void seconds(StringBuilder text, long seconds) {
        text.append(seconds == 0 ? "0:00" : Durations.brief(Duration.ofSeconds(seconds)));
    }

    static void orNull(StringBuilder text, String value) {
        text.append(value.isEmpty() ? "(null)" : value);
    }

    static void orNotApplicable(StringBuilder text, String value) {
        text.append(value.isEmpty() ? "N/A" : value);
    }

    /// Slurm writes how a job may share its nodes from the scheduler's view.
    public static String sharing(Job job) {
        return switch (job.getRequest().getSharing()) {
            case SHARING_DEFAULT, UNRECOGNIZED -> "OK";
            case SHARING_EXCLUSIVE -> "NO";
            case SHARING_OVERSUBSCRIBE -> "YES";
            case SHARING_USER -> "USER";
            case SHARING_MCS -> "MCS";
        };
    }

    /// The fewest cpus that a node must have to be of use.
    public static long leastCpusPerNode(Job job) {
        var request = job.getRequest();
        long perTask = Math.max(1, request.getCpusPerTask());
        return Math.max(
                Math.max(perTask, request.getMinCpusPerNode()),
                perTask * request.getTasksPerNode());
    }

    public static void leastMemory(StringBuilder text, Job job, View view) {
        var request = job.getRequest();
        view.memory(
                text,
                request.hasMemPerCpuMb() ? request.getMemPerCpuMb() : request.getMemPerNodeMb());
    }

    /// As the controller names the group, or else as this host does.
    public static String groupName(Job job, View view) {
        return job.getGroupName().isEmpty()
                ? view.groupNames().apply(unsigned(job.getGid()))
                : job.getGroupName();
    }

    public static long unsigned(int number) {
        return Integer.toUnsignedLong(number);
    }

    /// How tasks are bound to GPUs, `gpu:closest`.
    public static String binding(String wish) {
        return wish.isEmpty() ? "" : "gpu:" + wish;
    }
}
