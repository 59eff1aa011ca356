package dev.spur.engine.job;

import dev.spur.engine.demand.Demand;
import dev.spur.model.notation.TimeLimit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the cluster made of a [JobSpec][dev.spur.model.JobSpec] when it admitted it.
///
/// @param partitions in the order in which they are shown: highest priority tier first
/// @param timeLimit with the partition's default filled in
/// @param timeMin the limit may be lowered to this to start earlier, or before its deadline;
///   missing: it may not
/// @param requeue whether it may run again after a failure that is not its own
/// @param charge in the first of its partitions; while it has nodes, in theirs
/// @param revision counts the changes of what the scheduler plans with: a start that was planned
///   for other terms is stale
/// @param reservation names of reservations of which it uses one, separated by commas; empty: none,
///   or the one that draws it in
public record JobTerms(
        Demand demand,
        List<String> partitions,
        TimeLimit timeLimit,
        @Nullable TimeLimit timeMin,
        boolean requeue,
        int revision,
        Charge charge,
        String reservation) {
    public JobTerms {
        partitions = List.copyOf(partitions);
    }

    /// Whether the job may start with this limit.
    public boolean allows(TimeLimit limit) {
        return timeMin != null && limit.compareTo(timeMin) >= 0 && limit.compareTo(timeLimit) <= 0;
    }

    /// The shortest limit that will do.
    TimeLimit leastTime() {
        return timeMin == null ? timeLimit : timeMin;
    }

    /// These, in place of others that the job had.
    public JobTerms replacing(JobTerms former) {
        var same = withRevision(former.revision);
        return same.equals(former) ? former : withRevision(former.revision + 1);
    }

    public JobTerms withTimeLimit(TimeLimit limit) {
        return new JobTerms(
                demand, partitions, limit, timeMin, requeue, revision, charge, reservation);
    }

    public JobTerms withRequeue(boolean allowed) {
        return new JobTerms(
                demand, partitions, timeLimit, timeMin, allowed, revision, charge, reservation);
    }

    public JobTerms withCharge(Charge other) {
        return new JobTerms(
                demand, partitions, timeLimit, timeMin, requeue, revision, other, reservation);
    }

    public JobTerms withReservation(String name) {
        return new JobTerms(
                demand, partitions, timeLimit, timeMin, requeue, revision, charge, name);
    }

    private JobTerms withRevision(int number) {
        return new JobTerms(
                demand, partitions, timeLimit, timeMin, requeue, number, charge, reservation);
    }
}
