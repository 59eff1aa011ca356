package dev.spur.engine.state;

import dev.spur.engine.account.AccountsNews;
import dev.spur.engine.job.Job;
import dev.spur.engine.node.Node;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.site.Partition;
import dev.spur.engine.step.Step;
import dev.spur.engine.step.StepEnd;
import dev.spur.model.Actor;
import dev.spur.model.JobId;

/// Something that changed, for everybody who watches: the scheduler, the dispatcher, accounting,
/// people. Events carry the value after the change, so a watcher need not look it up.
public sealed interface Event {
    record JobSubmitted(Job job) implements Event {}

    /// It got its nodes: a batch job is to be launched on the first.
    record JobStarted(Job job) implements Event {}

    /// A job changed in a way that none of the others says: limits, holds, reasons, plans.
    record JobChanged(Job job) implements Event {}

    /// It is over: its remaining nodes are to be told to end whatever is left.
    record JobCompleting(Job job) implements Event {}

    /// Its resources are free and its end is final.
    record JobEnded(Job job) implements Event {}

    /// It waits again, with the next attempt.
    record JobRequeued(Job job) implements Event {}

    record JobSuspended(Job job) implements Event {}

    record JobResumed(Job job) implements Event {}

    /// Nobody can ask for it any more.
    record JobForgotten(JobId id) implements Event {}

    record StepCreated(Job job, Step step) implements Event {}

    /// Its nodes are to be told to end it.
    record StepCancelled(Job job, Step step) implements Event {}

    /// One node's part ended.
    record StepEndedOn(Job job, Step step, String node, StepEnd end) implements Event {}

    /// All of it ended.
    record StepFinished(Job job, Step step) implements Event {}

    record NodeChanged(Node node) implements Event {}

    record ConfigApplied() implements Event {}

    record CredentialsChanged() implements Event {}

    /// Somebody changed who may use what.
    record AccountsChanged(Actor actor, AccountsNews news) implements Event {}

    /// An administrator made it or changed it.
    record PartitionChanged(Partition partition) implements Event {}

    record PartitionRemoved(String name) implements Event {}

    /// It was made or changed, or begins.
    record ReservationChanged(Reservation reservation) implements Event {}

    /// It is over, or was deleted.
    record ReservationRemoved(Reservation reservation) implements Event {}

    /// A record of an array was divided, and this one is what it stands for now or is made of it.
    record ArrayDivided(Job part) implements Event {}
}
