package dev.spur.engine.priority;

import dev.spur.engine.job.Job;
import dev.spur.engine.site.Site;
import java.time.Instant;

/// Whoever came first goes first, unless somebody set a number by hand; a nice job steps back
/// (Slurm's `priority/basic`).
enum BySubmission implements PriorityPolicy {
    POLICY;

    @Override
    public long priority(Job job, Site site, Instant now) {
        var standing = job.queueing().standing();
        var given = standing.given();
        return given != null ? given : Math.max(1, standing.order() - job.spec().nice());
    }

    @Override
    public boolean isSteady() {
        return true;
    }
}
