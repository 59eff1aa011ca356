package dev.spur.testkit.simulated;

import dev.spur.engine.job.JobPhase;
import dev.spur.engine.state.Snapshot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What must be true of everything that runs at the same time, whatever the controller believes.
///
/// What stands still leaves its CPUs to others. If it is ended then, it goes on, because nothing
/// can end that stands still, and shares them for as long as that takes: which jobs those are is
/// all that is taken from the controllers.
final class LiveRuns {
    private final Set<Attempt> endingAfterSuspension = new HashSet<>();

    private record Attempt(long job, int number) {
        static Attempt of(Run run) {
            return new Attempt(run.key().job(), run.key().attempt());
        }
    }

    /// Of any controller, in any order.
    void note(Snapshot state) {
        for (var job : state.jobs()) {
            if (job.phase() instanceof JobPhase.Completing phase && phase.cleaning().cpusFree()) {
                endingAfterSuspension.add(new Attempt(job.id().value(), job.attempt()));
            }
        }
    }

    void check(List<Run> live) {
        for (var i = 0; i < live.size(); i++) {
            for (var other : live.subList(i + 1, live.size())) {
                check(live.get(i), other);
            }
        }
    }

    private void check(Run one, Run other) {
        if (one.key().job() == other.key().job()) {
            if (one.key().attempt() != other.key().attempt()
                    || one.key().equals(other.key()) && one.node().equals(other.node())) {
                throw new AssertionError(
                        "job %d runs twice at once: %s, attempt %d on %s, and %s, attempt %d on %s"
                                .formatted(
                                        one.key().job(),
                                        one.key(),
                                        one.key().attempt(),
                                        one.node(),
                                        other.key(),
                                        other.key().attempt(),
                                        other.node()));
            }
            return; // steps of one attempt may share what the job has
        }
        var shared =
                one.node().equals(other.node())
                        && (usesCpus(one) && usesCpus(other) && one.cpus().intersects(other.cpus())
                                || one.gpus().intersects(other.gpus()));
        if (shared) {
            throw new AssertionError(
                    "%s and %s use the same CPUs or GPUs of %s"
                            .formatted(one.key(), other.key(), one.node()));
        }
    }

    private boolean usesCpus(Run run) {
        return !run.stopped() && !endingAfterSuspension.contains(Attempt.of(run));
    }
}
