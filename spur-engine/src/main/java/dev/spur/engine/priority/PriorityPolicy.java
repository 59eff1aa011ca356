package dev.spur.engine.priority;

import dev.spur.engine.job.Job;
import dev.spur.engine.site.Site;
import java.time.Instant;

/// How the cluster computes priorities. A pure function of job, state and time: every controller
/// gets the same number, and a number that changes by itself is never written to the log. The
/// leader orders its queue by it anew with every plan.
public interface PriorityPolicy {
    /// The one that the cluster is configured for. Another policy is chosen here.
    static PriorityPolicy of(Site site) {
        var rules = site.config().rules().priority();
        return rules.multifactor() ? new Multifactor(rules) : BySubmission.POLICY;
    }

    /// The higher number goes first; at least 1.
    long priority(Job job, Site site, Instant now);

    /// For many jobs of one state at one moment: what they have in common is computed once.
    default Moment at(Site site, Instant now) {
        return job -> priority(job, site, now);
    }

    /// Priorities as of one moment. Used by one thread.
    interface Moment {
        long priority(Job job);
    }

    /// Whether a job's number stays what it is as long as nobody changes the job. If not, the queue
    /// is ordered anew with every plan.
    boolean isSteady();

    /// What people see: 0 while the job is held.
    default long shown(Job job, Site site, Instant now) {
        return job.queueing().isHeld() && job.mayRunAgain() ? 0 : priority(job, site, now);
    }
}
