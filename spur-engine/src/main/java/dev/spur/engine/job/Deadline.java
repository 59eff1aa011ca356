package dev.spur.engine.job;

import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What `--deadline` does to a job that waits: it is given no more time than is left until then,
/// and ends unrun when that is less than it needs. Counted in whole seconds, as Slurm does: a
/// minute before the deadline a job of a minute may start.
public final class Deadline {
    private Deadline() {}

    /// The limit of a job that starts now and has ended by its deadline.
    public static TimeLimit within(TimeLimit limit, Instant deadline, Instant now) {
        var minutes = (deadline.getEpochSecond() - now.getEpochSecond()) / 60;
        var left = TimeLimit.ofMinutes((int) Math.clamp(minutes, 1, Integer.MAX_VALUE));
        return left.compareTo(limit) < 0 ? left : limit;
    }

    /// When it is too late to start the job; missing: never.
    public static @Nullable Instant tooLateAt(Job job) {
        var deadline = job.spec().deadline();
        if (deadline == null) {
            return null;
        }
        return job.terms().leastTime() instanceof TimeLimit.Limited least
                ? deadline.plusSeconds(1).minus(least.duration())
                : deadline;
    }

    public static boolean hasPassed(Job job, Instant now) {
        var tooLateAt = tooLateAt(job);
        return tooLateAt != null && !tooLateAt.isAfter(now);
    }

    /// The limit with which a job starts now that would have this one.
    public static TimeLimit within(TimeLimit limit, Job job, Instant now) {
        var deadline = job.spec().deadline();
        return deadline == null || job.terms().timeMin() == null
                ? limit
                : within(limit, deadline, now);
    }
}
