package dev.spur.agent.step;

import dev.spur.api.v1.TerminateJob;

/// One run of a job.
record JobAttempt(int job, int attempt) {
    static JobAttempt of(StepKey key) {
        return new JobAttempt(key.job(), key.attempt());
    }

    static JobAttempt of(TerminateJob request) {
        return new JobAttempt(request.getJobId(), request.getAttempt());
    }

    boolean has(StepKey key) {
        return key.job() == job && key.attempt() == attempt;
    }
}
