package dev.spur.engine.job;

import dev.spur.engine.step.Steps;

/// How far a job has come: which attempt it is at, where in its life, and the steps in it.
public record JobRun(Attempts attempts, JobPhase phase, Steps steps) {
    /// It has just been submitted.
    public static JobRun first(JobPhase phase) {
        return new JobRun(Attempts.FIRST, phase, Steps.NONE);
    }

    JobRun withAttempts(Attempts other) {
        return new JobRun(other, phase, steps);
    }

    JobRun with(JobPhase other) {
        return new JobRun(attempts, other, steps);
    }

    JobRun withSteps(Steps other) {
        return new JobRun(attempts, phase, other);
    }
}
