package dev.spur.engine.state;

import dev.spur.model.BlobRef;
import dev.spur.model.JobId;
import dev.spur.model.JobSpec;
import dev.spur.model.JobState;
import dev.spur.model.Reason;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A job, or the waiting tasks of a job array: one record however many there are.
///
/// @param array missing if this is no array
/// @param script by its hash; missing for allocations
public record Job(
        JobId id,
        Instant submittedAt,
        JobSpec spec,
        JobTerms terms,
        @Nullable ArrayTasks array,
        @Nullable BlobRef script,
        @Nullable BlobRef environment,
        Queueing queueing,
        Attempts attempts,
        JobPhase phase,
        Steps steps) {

    public int attempt() {
        return attempts.current();
    }

    public JobState state() {
        return phase.state();
    }

    public boolean isPending() {
        return phase instanceof JobPhase.Pending;
    }

    public boolean isEnded() {
        return phase instanceof JobPhase.Ended;
    }

    /// Whether it has nodes: running, suspended or completing.
    public boolean hasNodes() {
        return !isPending() && !isEnded();
    }

    /// What is shown: 0 while it is held.
    public long shownPriority() {
        return queueing.isHeld() && isPending() ? 0 : queueing.priority();
    }

    /// Why it waits or ended so; `None` if nothing is to be said.
    public Reason reason() {
        return switch (phase) {
            case JobPhase.Pending pending -> pending.reason();
            case JobPhase.Running _, JobPhase.Suspended _ -> Reason.NONE;
            case JobPhase.Completing completing -> completing.outcome().reason();
            case JobPhase.Ended ended -> ended.outcome().reason();
        };
    }

    /// The id that people see: `38`, `40_3`, `40_[3-10%2]`.
    public String shownId() {
        if (array == null) {
            return id.toString();
        }
        return array.array()
                + "_"
                + (array.split()
                        ? Integer.toString(array.tasks().min())
                        : array.tasks().bracketed());
    }

    /// The array's index of this record if it stands for one task, else -1.
    public int taskIndex() {
        return array != null && array.split() ? array.tasks().min() : -1;
    }

    /// How long it has run in this attempt, without the time it was suspended.
    public Duration runTime(Instant now) {
        var since = phase.startedAt();
        if (since == null) {
            return Duration.ZERO;
        }
        return switch (phase) {
            case JobPhase.Pending _ -> Duration.ZERO;
            case JobPhase.Running running ->
                    Duration.between(since, now).minus(running.suspended());
            case JobPhase.Suspended suspended ->
                    Duration.between(since, suspended.at()).minus(suspended.suspended());
            case JobPhase.Completing completing ->
                    Duration.between(since, completing.endedAt()).minus(completing.suspended());
            case JobPhase.Ended ended ->
                    Duration.between(since, ended.endedAt()).minus(ended.suspended());
        };
    }

    Job withId(JobId other) {
        return new Job(
                other,
                submittedAt,
                spec,
                terms,
                array,
                script,
                environment,
                queueing,
                attempts,
                phase,
                steps);
    }

    Job withSpec(JobSpec other) {
        return new Job(
                id,
                submittedAt,
                other,
                terms,
                array,
                script,
                environment,
                queueing,
                attempts,
                phase,
                steps);
    }

    Job withTerms(JobTerms other) {
        return new Job(
                id,
                submittedAt,
                spec,
                other,
                array,
                script,
                environment,
                queueing,
                attempts,
                phase,
                steps);
    }

    Job withArray(ArrayTasks other) {
        return new Job(
                id,
                submittedAt,
                spec,
                terms,
                other,
                script,
                environment,
                queueing,
                attempts,
                phase,
                steps);
    }

    Job withQueueing(Queueing other) {
        return new Job(
                id,
                submittedAt,
                spec,
                terms,
                array,
                script,
                environment,
                other,
                attempts,
                phase,
                steps);
    }

    Job withAttempts(Attempts other) {
        return new Job(
                id,
                submittedAt,
                spec,
                terms,
                array,
                script,
                environment,
                queueing,
                other,
                phase,
                steps);
    }

    Job with(JobPhase other) {
        return new Job(
                id,
                submittedAt,
                spec,
                terms,
                array,
                script,
                environment,
                queueing,
                attempts,
                other,
                steps);
    }

    Job withSteps(Steps other) {
        return new Job(
                id,
                submittedAt,
                spec,
                terms,
                array,
                script,
                environment,
                queueing,
                attempts,
                phase,
                other);
    }
}
