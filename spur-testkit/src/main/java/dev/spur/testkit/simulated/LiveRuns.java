package dev.spur.testkit.simulated;

import java.util.List;

/// What must be true of everything that runs at the same time, whatever the controller believes.
final class LiveRuns {
    private LiveRuns() {}

    static void check(List<Run> live) {
        for (var i = 0; i < live.size(); i++) {
            for (var other : live.subList(i + 1, live.size())) {
                check(live.get(i), other);
            }
        }
    }

    private static void check(Run one, Run other) {
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
                        && (one.cpus().intersects(other.cpus())
                                || one.gpus().intersects(other.gpus()));
        if (shared) {
            throw new AssertionError(
                    "%s and %s use the same CPUs or GPUs of %s"
                            .formatted(one.key(), other.key(), one.node()));
        }
    }
}
