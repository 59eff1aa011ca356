package dev.spur.accounting.job;

import dev.spur.accounting.amount.Times;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.StepRecord;
import java.time.OffsetDateTime;

/// One attempt of a job of a cluster.
public record JobKey(long jobId, OffsetDateTime submitted, long attempt) {
    public static JobKey of(JobRecord record) {
        return of(record.getJobId(), record.getSubmitMicros(), record.getAttempt());
    }

    public static JobKey of(StepRecord record) {
        return of(record.getJobId(), record.getSubmitMicros(), record.getAttempt());
    }

    private static JobKey of(int job, long submitMicros, int attempt) {
        return new JobKey(
                Integer.toUnsignedLong(job),
                Times.exact(submitMicros),
                Integer.toUnsignedLong(attempt));
    }
}
