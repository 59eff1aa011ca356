package dev.spur.controller.scheduling;

import dev.spur.engine.state.Job;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// When the scheduler looked at each job last (`LastSchedEval`). Every pass looks at all that wait,
/// so one time does for them; those that have started were looked at last when they did. Kept by
/// the leader only: nothing depends on it.
public final class LastPass {
    private volatile @Nullable Instant at;

    void was(Instant now) {
        at = now;
    }

    /// Missing if that has not been yet.
    public @Nullable Instant of(Job job) {
        if (!job.isPending()) {
            return job.phase().startedAt();
        }
        var pass = at;
        return pass == null || pass.isBefore(job.submittedAt()) ? null : pass;
    }
}
