package dev.spur.engine.explanation;

import dev.spur.engine.job.JobChange;
import dev.spur.model.JobSpec;
import java.time.Instant;

/// A change with which the job starts sooner: it was tried.
///
/// @param text what it would have or do without, as in "with …" or "without …"
/// @param start when it starts then
public record Suggestion(String text, Way way, Instant start) {
    /// How to follow it.
    public sealed interface Way {}

    /// `scontrol update`.
    ///
    /// @param key as scontrol has it
    public record Update(JobChange change, String key, String value) implements Way {}

    /// `scontrol release`.
    public record Release() implements Way {}

    /// Cancel it and submit it again otherwise.
    ///
    /// @param option of `sbatch`, as it would be
    public record Resubmit(JobSpec spec, String option) implements Way {}

    public boolean startsBy(Instant time) {
        return !start.isAfter(time);
    }
}
