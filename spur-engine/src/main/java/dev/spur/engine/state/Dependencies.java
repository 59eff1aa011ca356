package dev.spur.engine.state;

import java.util.List;
import java.util.stream.Collectors;

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

    /// As `squeue %E` shows it; empty if there is none.
    @Override
    public String toString() {
        return open.stream().map(Dependency::toString).collect(Collectors.joining(any ? "?" : ","));
    }
}
