package dev.spur.cloud.billing;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// One run of a session's job, as accounting has it.
///
/// @param startedAt null: it has not started, or ended before it did
/// @param endedAt null: it has not ended
/// @param suspended for how long, up to when it was last resumed
/// @param suspendedSince null: it is not suspended
/// @param freeBecause why nobody pays for it; null: somebody does
/// @param isLast whether another attempt cannot follow
public record Attempt(
        long job,
        int number,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        Duration suspended,
        @Nullable Instant suspendedSince,
        String gpuType,
        int gpus,
        int cpus,
        @Nullable String freeBecause,
        boolean isLast) {}
