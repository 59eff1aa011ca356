package dev.spur.engine.step;

import dev.spur.model.ExitStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// How a step's part on one node ended.
///
/// @param exit the worst of the tasks there; of the script, for the batch step
/// @param lost the node rebooted under it
/// @param perTask what each task used; missing: the agent said sums only
public record StepEnd(
        ExitStatus exit,
        boolean outOfMemory,
        boolean timedOut,
        boolean lost,
        long userMicros,
        long systemMicros,
        long maxRssKibibytes,
        Instant startedAt,
        Instant endedAt,
        String message,
        @Nullable TasksUsage perTask) {

    public StepEnd(
            ExitStatus exit,
            boolean outOfMemory,
            boolean timedOut,
            boolean lost,
            long userMicros,
            long systemMicros,
            long maxRssKibibytes,
            Instant startedAt,
            Instant endedAt,
            String message) {
        this(
                exit,
                outOfMemory,
                timedOut,
                lost,
                userMicros,
                systemMicros,
                maxRssKibibytes,
                startedAt,
                endedAt,
                message,
                null);
    }
}
