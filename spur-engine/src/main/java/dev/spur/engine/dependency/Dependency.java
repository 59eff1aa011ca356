package dev.spur.engine.dependency;

import dev.spur.model.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// One thing that must happen before a job may start.
///
/// @param job missing for a singleton
/// @param task of an array, or -1
/// @param minutes after the start of `job`, for `after`
/// @param dueAt when those minutes are over; missing until `job` has started
/// @param failed it can never be satisfied
public record Dependency(
        Kind kind,
        @Nullable JobId job,
        int task,
        int minutes,
        @Nullable Instant dueAt,
        boolean failed) {
    public enum Kind {
        AFTER("after"),
        AFTERANY("afterany"),
        AFTEROK("afterok"),
        AFTERNOTOK("afternotok"),
        AFTERCORR("aftercorr"),
        SINGLETON("singleton");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    public Dependency asFailed() {
        return new Dependency(kind, job, task, minutes, dueAt, true);
    }

    public Dependency withDueAt(@Nullable Instant time) {
        return new Dependency(kind, job, task, minutes, time, failed);
    }

    /// As Slurm shows it: `afterok:38(unfulfilled)`.
    @Override
    public String toString() {
        var status = failed ? "(failed)" : "(unfulfilled)";
        return job == null
                ? kind.word + status
                : kind.word
                        + ":"
                        + job
                        + (task < 0 ? "" : "_" + task)
                        + (minutes > 0 ? "+" + minutes : "")
                        + status;
    }
}
