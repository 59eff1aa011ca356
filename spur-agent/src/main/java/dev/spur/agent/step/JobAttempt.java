package dev.spur.agent.step;

/// One run of a job.
record JobAttempt(int job, int attempt) {
    static JobAttempt of(StepKey key) {
        return new JobAttempt(key.job(), key.attempt());
    }

    boolean has(StepKey key) {
        return key.job() == job && key.attempt() == attempt;
    }
}
