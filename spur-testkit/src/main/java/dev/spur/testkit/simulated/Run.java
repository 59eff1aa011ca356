package dev.spur.testkit.simulated;

import dev.spur.agent.step.StepKey;
import dev.spur.model.IndexSet;
import dev.spur.model.notation.Signal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// That a script, or a step, really ran somewhere.
///
/// @param endedAt missing while it runs
/// @param lost whether its machine was restarted under it
/// @param stopped whether it stands still
/// @param deadline when its time limit ends it, by what its machine was told
/// @param signals what it was sent, in order
public record Run(
        StepKey key,
        String node,
        IndexSet cpus,
        IndexSet gpus,
        Instant startedAt,
        @Nullable Instant endedAt,
        boolean lost,
        boolean stopped,
        @Nullable Instant deadline,
        List<Sent> signals) {

    /// A signal and when it came.
    public record Sent(Signal signal, Instant at) {}

    public Run {
        signals = List.copyOf(signals);
    }

    public boolean isLive() {
        return endedAt == null;
    }
}
