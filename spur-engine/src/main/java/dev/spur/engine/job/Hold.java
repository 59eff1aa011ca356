package dev.spur.engine.job;

import dev.spur.model.Actor;
import dev.spur.model.Role;

/// Who keeps a job from starting; decides who may release it. A hold stays with a job that runs,
/// and counts when it is requeued.
public enum Hold {
    NONE,
    USER,
    ADMIN,
    /// Its launches failed too often.
    REQUEUES,
    /// A prolog failed; somebody should look before it runs again.
    LAUNCH,
    /// Its owner put it aside: `scontrol requeuehold State=SpecialExit`.
    SPECIAL_EXIT,
    /// The reservation that it waited for is over.
    RESERVATION;

    /// Lifted by the rank of whoever placed it or above, in whatever way it is tried.
    public boolean mayBeLiftedBy(Actor actor) {
        return this != ADMIN || actor.role().atLeast(Role.OPERATOR);
    }

    /// The hold that somebody places on a job.
    ///
    /// @param asUser so that its owner may lift it
    public static Hold placedBy(Actor actor, Job job, boolean asUser) {
        var isForOwner = asUser || actor.uid() == job.spec().owner().uid();
        return isForOwner ? job.queueing().hold().replacedBy(USER, actor) : ADMIN;
    }

    /// The other one, unless that would weaken this.
    Hold replacedBy(Hold other, Actor actor) {
        return mayBeLiftedBy(actor) ? other : this;
    }

    /// The other one, unless an administrator's is there already.
    public Hold orIfFree(Hold other) {
        return this == ADMIN ? this : other;
    }
}
