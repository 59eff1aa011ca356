package dev.spur.agent.step;

import dev.spur.api.v1.JobTerms;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What the controller last said of the jobs that go on here: until when, and whether they stand
/// still. It counts for their steps, also for those that are still on their way. Guarded by the
/// lock of [NodeSteps].
final class StandingTerms {
    private final InstantSource clock;
    private final Map<JobAttempt, Terms> terms = new HashMap<>();

    /// @param until null for ever
    private record Terms(@Nullable Instant until, boolean suspended) {}

    StandingTerms(InstantSource clock) {
        this.clock = clock;
    }

    /// @param steps all of this node
    void say(JobTerms said, Collection<StepEntry> steps) {
        var attempt = new JobAttempt(said.getJobId(), said.getAttempt());
        var until =
                said.getRemainingMillis() < 0
                        ? null
                        : clock.instant().plusMillis(said.getRemainingMillis());
        terms.put(attempt, new Terms(until, said.getSuspended()));
        for (var entry : steps) {
            var running = entry.running();
            if (attempt.has(entry.key) && running != null) {
                limit(running, until);
                entry.move(running, said.getSuspended());
            }
        }
    }

    /// What was said while the step was on its way or being launched counts for it, too. Which is
    /// newer, that or what it was launched with, is not known: no limit may come early.
    void catchUp(StepEntry entry, SupervisedStep step, @Nullable Duration launchedWith) {
        var said = terms.get(JobAttempt.of(entry.key));
        if (said == null) {
            return;
        }
        if (launchedWith != null
                && (said.until() == null
                        || said.until().isAfter(clock.instant().plus(launchedWith)))) {
            limit(step, said.until());
        }
        entry.move(step, said.suspended());
    }

    private void limit(SupervisedStep step, @Nullable Instant until) {
        step.limitTime(until == null ? null : Duration.between(clock.instant(), until));
    }

    void forget(JobAttempt attempt) {
        terms.remove(attempt);
    }

    void forgetIf(Predicate<JobAttempt> unknown) {
        terms.keySet().removeIf(unknown);
    }
}
