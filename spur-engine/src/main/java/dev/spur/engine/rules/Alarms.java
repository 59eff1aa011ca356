package dev.spur.engine.rules;

import dev.spur.engine.job.Deadline;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobKind;
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

    /// How long a job that `srun` made for its own step waits for `srun` when no step runs in it:
    /// doors, controllers and networks come back sooner.
    static final Duration ABANDONED_AFTER = Duration.ofMinutes(5);

    private Alarms() {}

    static @Nullable Instant next(Job job, ClusterRules rules) {
        return switch (job.phase()) {
            case JobPhase.Pending _ -> nextOfPending(job);
            case JobPhase.Running running ->
                    earlier(timeIsUp(running, rules), abandonedAt(job, running));
            case JobPhase.Suspended _ -> null;
            case JobPhase.Completing completing ->
                    completing.toldAt().plus(rules.killWait()).plus(rules.completeWait());
            case JobPhase.Ended ended -> ended.settledAt().plus(rules.minJobAge());
        };
    }

    static @Nullable Instant timeIsUp(JobPhase.Running running, ClusterRules rules) {
        return running.deadline() == null
                ? null
                : running.deadline().plus(rules.killWait()).plus(BACKSTOP);
    }

    /// When `srun`, whose step is over, should long have said so. Missing while the step runs.
    static @Nullable Instant abandonedAt(Job job, JobPhase.Running running) {
        if (job.spec().kind() != JobKind.OWN_STEP) {
            return null;
        }
        var quiet = job.steps().quietSince(running.since());
        return quiet == null ? null : quiet.plus(ABANDONED_AFTER);
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.isBefore(other) ? one : other;
    }

    private static @Nullable Instant nextOfPending(Job job) {
        var queueing = job.queueing();
        // A begin time that has passed is taken out, so what is here still counts.
        return Stream.of(
                        queueing.notBefore(),
                        Deadline.tooLateAt(job),
                        queueing.dependencies().wakeAt())
                .filter(Objects::nonNull)
                .min(Instant::compareTo)
                .orElse(null);
    }
}
