package dev.spur.testkit.simulated;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.site.Partition;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Placement;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Nobody starts on nodes while they are kept for others, nor in a partition that starts no jobs.
/// Reservations and partitions count if they are the same before and after the start: what changed
/// in the same moment may have changed before it or after it.
final class KeptNodes {
    private @Nullable Snapshot before;

    /// Of any controller: one that knows no more than those before says nothing new.
    void check(Snapshot state) {
        var earlier = before;
        if (earlier != null && state.revision() <= earlier.revision()) {
            return;
        }
        before = state;
        if (earlier == null) {
            return;
        }
        var reservations =
                state.reservations().list().stream()
                        .filter(one -> isTheSame(one, earlier.reservations().list()))
                        .toList();
        var closed =
                state.partitions().stream()
                        .filter(one -> !one.spec().state().startsJobs())
                        .filter(one -> earlier.partitions().contains(one))
                        .map(Partition::name)
                        .toList();
        if (reservations.isEmpty() && closed.isEmpty()) {
            return;
        }
        for (var job : state.jobs()) {
            if (job.phase() instanceof JobPhase.Running running
                    && earlier.job(job.id())
                            .filter(known -> hasStarted(known, job.attempt()))
                            .isEmpty()) {
                check(job, running, reservations, closed, state);
            }
        }
    }

    private static boolean isTheSame(Reservation one, List<Reservation> earlier) {
        return earlier.stream()
                .anyMatch(other ->
                        other.number() == one.number()
                                && other.nodes().equals(one.nodes())
                                && other.period().equals(one.period()));
    }

    private static boolean hasStarted(Job known, int attempt) {
        return known.attempt() == attempt && !known.isPending();
    }

    private static void check(
            Job job,
            JobPhase.Running running,
            List<Reservation> reservations,
            List<String> closed,
            Snapshot state) {
        var placement = running.placement();
        if (closed.contains(placement.partition())) {
            throw new AssertionError(
                    "job %s started in partition %s, which starts none"
                            .formatted(job.shownId(), placement.partition()));
        }
        if (!job.spec().reservation().isEmpty()) {
            return;
        }
        for (var one : reservations) {
            if (one.isActive(running.since()) && uses(placement, one, state)) {
                throw new AssertionError(
                        "job %s started at %s on %s, of which %s has some from %s to %s"
                                .formatted(
                                        job.shownId(),
                                        running.since(),
                                        placement.nodeNames(),
                                        one.name(),
                                        one.start(),
                                        one.end()));
            }
        }
    }

    private static boolean uses(Placement placement, Reservation one, Snapshot state) {
        return placement.nodeNames().stream()
                .map(state::node)
                .flatMap(Optional::stream)
                .anyMatch(node -> one.nodes().contains(node.index()));
    }
}
