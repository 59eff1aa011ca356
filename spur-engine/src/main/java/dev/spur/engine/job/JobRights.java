package dev.spur.engine.job;

import dev.spur.engine.account.Accounts;
import dev.spur.model.Actor;

/// Whose jobs somebody may act on.
public final class JobRights {
    private JobRights() {}

    /// Owners, operators, and whoever manages the job's account.
    public static boolean mayManage(Actor actor, Job job, Accounts accounts) {
        return actor.mayManage(job.spec().owner().uid())
                || accounts.isCoordinator(actor.userName(), job.terms().charge().account());
    }
}
