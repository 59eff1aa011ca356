package dev.spur.engine.step;

import dev.spur.model.ExitStatus;
import dev.spur.model.StepId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The live steps of a job and what is left of those that ended.
///
/// @param next the number of the next one
/// @param worst for DerivedExitCode
/// @param lastEndedAt missing: none has ended
/// @param ended the last that ended: whoever asked for one and lost the answer finds it here
public record Steps(
        List<Step> live,
        int next,
        ExitStatus worst,
        @Nullable Instant lastEndedAt,
        List<Step> ended) {
    public static final Steps NONE = new Steps(List.of(), 0, ExitStatus.SUCCESS, null, List.of());

    private static final int MOST_ENDED = 4;

    public Steps {
        live = List.copyOf(live);
        ended = List.copyOf(ended);
    }

    public Optional<Step> find(StepId id) {
        return live.stream().filter(step -> step.id().equals(id)).findFirst();
    }

    /// Also if it has ended, but not long ago.
    public Optional<Step> findEver(StepId id) {
        return Stream.concat(live.stream(), ended.stream())
                .filter(step -> step.id().equals(id))
                .findFirst();
    }

    /// With the step added, or put in place of the one with its id.
    public Steps with(Step step) {
        var steps = new ArrayList<>(live);
        steps.removeIf(other -> other.id().equals(step.id()));
        steps.add(step);
        return new Steps(
                steps,
                step.id().isReserved() ? next : Math.max(next, step.id().value() + 1),
                worst,
                lastEndedAt,
                ended);
    }

    public Steps without(Step gone, Instant now) {
        var steps = new ArrayList<>(live);
        steps.removeIf(other -> other.id().equals(gone.id()));
        var counts = !gone.id().equals(StepId.BATCH);
        return new Steps(
                steps, next, counts ? worst.worse(gone.exit()) : worst, now, endedWith(gone));
    }

    private List<Step> endedWith(Step gone) {
        if (gone.id().isReserved()) {
            return ended; // nobody asked for it
        }
        var steps = new ArrayList<>(ended);
        steps.add(gone);
        return steps.size() > MOST_ENDED ? steps.subList(1, steps.size()) : steps;
    }

    /// Since when none of them has run; missing while one does.
    ///
    /// @param start of the job
    public @Nullable Instant quietSince(Instant start) {
        var since = lastEndedAt == null ? start : lastEndedAt;
        for (var step : live) {
            if (!step.startedOn().isEmpty()) {
                return null;
            }
            since = step.createdAt().isAfter(since) ? step.createdAt() : since;
        }
        return since;
    }

    public Steps withoutLive() {
        return new Steps(List.of(), next, worst, lastEndedAt, List.of());
    }
}
