package dev.spur.engine.job;

import dev.spur.model.BlobRef;
import dev.spur.model.JobSpec;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What a user handed in, and when.
///
/// @param spec as it was changed since
/// @param script by its hash; missing for allocations
public record Submission(
        Instant at, JobSpec spec, @Nullable BlobRef script, @Nullable BlobRef environment) {
    Submission withSpec(JobSpec other) {
        return new Submission(at, other, script, environment);
    }
}
