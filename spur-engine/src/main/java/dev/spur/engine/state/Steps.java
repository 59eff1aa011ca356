package dev.spur.engine.state;

import dev.spur.model.ExitStatus;
import dev.spur.model.StepId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The live steps of a job and what is left of those that ended.
///
/// @param next the number of the next one
/// @param worst for DerivedExitCode
public record Steps(List<Step> live, int next, ExitStatus worst) {
    public static final Steps NONE = new Steps(List.of(), 0, ExitStatus.SUCCESS);

    public Steps {
        live = List.copyOf(live);
    }

    public Optional<Step> find(StepId id) {
        return live.stream().filter(step -> step.id().equals(id)).findFirst();
    }

    /// With the step added, or put in place of the one with its id.
    Steps with(Step step) {
        var steps = new ArrayList<>(live);
        steps.removeIf(other -> other.id().equals(step.id()));
        steps.add(step);
        return new Steps(
                steps,
                step.id().isReserved() ? next : Math.max(next, step.id().value() + 1),
                worst);
    }

    Steps without(Step ended) {
        var steps = new ArrayList<>(live);
        steps.removeIf(other -> other.id().equals(ended.id()));
        var counts = !ended.id().equals(StepId.BATCH);
        return new Steps(steps, next, counts ? worst.worse(ended.exit()) : worst);
    }

    Steps withoutLive() {
        return new Steps(List.of(), next, worst);
    }
}
