package dev.spur.engine.job;

import dev.spur.engine.array.ArrayTasks;
import dev.spur.engine.step.Steps;
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
public record Job(
        JobId id,
        Submission submission,
        JobTerms terms,
        @Nullable ArrayTasks array,
        Queueing queueing,
        JobRun run) {
    public Instant submittedAt() {
        return submission.at();
    }

    public JobSpec spec() {
        return submission.spec();
    }

    /// By its hash; missing for allocations.
    public @Nullable BlobRef script() {
        return submission.script();
    }

    public @Nullable BlobRef environment() {
        return submission.environment();
    }

    public Attempts attempts() {
        return run.attempts();
    }

    public JobPhase phase() {
        return run.phase();
    }

    public Steps steps() {
        return run.steps();
    }

    public int attempt() {
        return attempts().current();
    }

    public JobState state() {
        return isPending() && queueing.hold() == Hold.SPECIAL_EXIT
                ? JobState.SPECIAL_EXIT
                : phase().state();
    }

    public boolean isPending() {
        return phase() instanceof JobPhase.Pending;
    }

    public boolean isEnded() {
        return phase() instanceof JobPhase.Ended;
    }

    /// Whether it has nodes: running, suspended or completing.
    public boolean hasNodes() {
        return !isPending() && !isEnded();
    }

    /// Whether it waits, runs, or will wait again.
    public boolean mayRunAgain() {
        return switch (phase()) {
            case JobPhase.Pending _, JobPhase.Running _, JobPhase.Suspended _ -> true;
            case JobPhase.Completing completing ->
                    completing.next() != JobPhase.AfterCompletion.END;
            case JobPhase.Ended _ -> false;
        };
    }

    /// Why it waits or ended so; `None` if nothing is to be said.
    public Reason reason() {
        return switch (phase()) {
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

    /// When its time limit ends it if it goes on as it does; missing: never, or it does not run.
    public @Nullable Instant deadline() {
        return switch (phase()) {
            case JobPhase.Running running -> running.deadline();
            case JobPhase.Suspended suspended -> suspended.deadline();
            case JobPhase.Pending _, JobPhase.Completing _, JobPhase.Ended _ -> null;
        };
    }

    /// How long it has run in this attempt, without the time it was suspended.
    public Duration runTime(Instant now) {
        var since = phase().startedAt();
        if (since == null) {
            return Duration.ZERO;
        }
        return switch (phase()) {
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

    public Job withId(JobId other) {
        return new Job(other, submission, terms, array, queueing, run);
    }

    public Job withSpec(JobSpec other) {
        return new Job(id, submission.withSpec(other), terms, array, queueing, run);
    }

    /// The same, for which only these reservations are left.
    public Job inReservation(String names) {
        return withSpec(spec().with(spec -> spec.reservation = names))
                .withTerms(terms.withReservation(names));
    }

    public Job withTerms(JobTerms other) {
        return new Job(id, submission, other, array, queueing, run);
    }

    public Job withArray(ArrayTasks other) {
        return new Job(id, submission, terms, other, queueing, run);
    }

    public Job withQueueing(Queueing other) {
        return new Job(id, submission, terms, array, other, run);
    }

    public Job withAttempts(Attempts other) {
        return with(run.withAttempts(other));
    }

    public Job with(JobPhase other) {
        return with(run.with(other));
    }

    public Job withSteps(Steps other) {
        return with(run.withSteps(other));
    }

    private Job with(JobRun other) {
        return new Job(id, submission, terms, array, queueing, other);
    }
}
