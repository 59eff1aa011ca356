package dev.spur.agent.step;

import dev.spur.model.StepId;
import java.util.Optional;

/// One execution of one step: a requeued job comes back with the next attempt.
public record StepKey(int job, StepId step, int attempt) {
    /// The name of its directory: `12.batch.1`.
    public String directoryName() {
        return Integer.toUnsignedString(job) + "." + step + "." + attempt;
    }

    public static Optional<StepKey> ofDirectoryName(String name) {
        var parts = name.split("\\.", -1);
        if (parts.length != 3) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new StepKey(
                            Integer.parseUnsignedInt(parts[0]),
                            StepId.parse(parts[1]),
                            Integer.parseInt(parts[2])));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    public boolean isBatch() {
        return step.equals(StepId.BATCH);
    }

    /// `12.batch`, as people write it.
    @Override
    public String toString() {
        return Integer.toUnsignedString(job) + "." + step;
    }
}
