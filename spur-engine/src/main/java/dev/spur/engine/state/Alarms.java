package dev.spur.engine.state;

import dev.spur.model.ClusterRules;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// When time alone changes something about a job.
final class Alarms {
    /// The step supervisor enforces time limits; the controller steps in when it has had its
    /// chance.
    static final Duration BACKSTOP = Duration.ofSeconds(60);

    private Alarms() {}

    static @Nullable Instant next(Job job, ClusterRules rules) {
        return switch (job.phase()) {
            case JobPhase.Pending _ -> nextOfPending(job);
            case JobPhase.Running running ->
                    running.deadline() == null
                            ? null
                            : running.deadline().plus(rules.killWait()).plus(BACKSTOP);
            case JobPhase.Suspended _ -> null;
            case JobPhase.Completing completing ->
                    completing.toldAt().plus(rules.killWait()).plus(rules.completeWait());
            case JobPhase.Ended ended -> ended.settledAt().plus(rules.minJobAge());
        };
    }

    private static @Nullable Instant nextOfPending(Job job) {
        var queueing = job.queueing();
        // A begin time that has passed is taken out, so what is here still counts.
        return Stream.of(
                        queueing.notBefore(),
                        job.spec().deadline(),
                        queueing.dependencies().wakeAt())
                .filter(Objects::nonNull)
                .min(Instant::compareTo)
                .orElse(null);
    }
}
