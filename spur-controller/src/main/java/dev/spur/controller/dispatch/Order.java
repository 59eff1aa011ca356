package dev.spur.controller.dispatch;

import dev.spur.api.v1.TerminateCause;
import dev.spur.model.JobId;
import dev.spur.model.StepId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What one node is to do about one attempt of a job. An order can be given again at any time: an
/// agent that has obeyed it knows.
sealed interface Order {
    JobId job();

    int attempt();

    /// Whether it frees what another order may give to somebody else: of many orders at once such
    /// ones go first, so that nobody goes on before whoever has his CPUs stands still.
    default boolean makesRoom() {
        return switch (this) {
            case StandStill _, EndStep _, End _ -> true;
            case Launch _, GoOn _ -> false;
        };
    }

    /// Start the batch script.
    record Launch(JobId job, int attempt) implements Order {}

    /// Whatever runs of it goes on.
    ///
    /// @param deadline when the time limit ends it; missing: never
    record GoOn(JobId job, int attempt, @Nullable Instant deadline) implements Order {}

    /// Whatever runs of it stands still, and its time with it.
    record StandStill(JobId job, int attempt) implements Order {}

    /// End one step.
    record EndStep(JobId job, int attempt, StepId step) implements Order {}

    /// End everything, and say when nothing is left.
    record End(JobId job, int attempt, TerminateCause cause) implements Order {}
}
