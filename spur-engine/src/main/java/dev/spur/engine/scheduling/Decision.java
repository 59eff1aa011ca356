package dev.spur.engine.scheduling;

import dev.spur.model.JobId;
import dev.spur.model.Placement;
import dev.spur.model.Reason;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What a pass decided about one pending job.
public sealed interface Decision {
    JobId job();

    /// Start it now. An array record can have several of these, one per task.
    ///
    /// @param limit lowered so that it delays nobody; missing: as the job has it
    /// @param reservation in which; empty: in none
    record Start(JobId job, Placement placement, @Nullable TimeLimit limit, String reservation)
            implements Decision {}

    /// Not now, because.
    ///
    /// @param expectedStart missing if it cannot be foreseen
    /// @param expectedNodes a hostlist; empty if it cannot be foreseen
    record Wait(JobId job, Reason reason, @Nullable Instant expectedStart, String expectedNodes)
            implements Decision {}
}
