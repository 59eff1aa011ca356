package dev.spur.engine.state;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a job still waits for. Satisfied parts are taken out.
///
/// @param any one of them is enough (`?` in the notation)
public record Dependencies(boolean any, List<Dependency> open) {
    public static final Dependencies NONE = new Dependencies(false, List.of());

    public Dependencies {
        open = List.copyOf(open);
    }

    public boolean isEmpty() {
        return open.isEmpty();
    }

    /// Whether the job can never start.
    public boolean isHopeless() {
        return !open.isEmpty()
                && (any
                        ? open.stream().allMatch(Dependency::failed)
                        : open.stream().anyMatch(Dependency::failed));
    }

    /// When time alone satisfies one of them; missing if it does not.
    @Nullable Instant wakeAt() {
        return open.stream()
                .map(Dependency::dueAt)
                .filter(Objects::nonNull)
                .min(Instant::compareTo)
                .orElse(null);
    }

    /// As `squeue %E` shows it; empty if there is none.
    @Override
    public String toString() {
        return open.stream().map(Dependency::toString).collect(Collectors.joining(any ? "?" : ","));
    }
}
