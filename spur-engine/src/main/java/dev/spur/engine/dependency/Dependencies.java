package dev.spur.engine.dependency;

import dev.spur.model.JobId;
import dev.spur.model.notation.DependencySpec;
import dev.spur.model.notation.JobReference;
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
    public @Nullable Instant wakeAt() {
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

    /// Reads `--dependency`; the text has been admitted before.
    public static Dependencies parse(String text) {
        if (text.isEmpty()) {
            return NONE;
        }
        var spec = DependencySpec.parse(text);
        var open = spec.terms().stream().map(Dependencies::of).toList();
        return new Dependencies(spec.join() == DependencySpec.Join.ANY, open);
    }

    private static Dependency of(DependencySpec.Term term) {
        return switch (term) {
            case DependencySpec.Singleton _ ->
                    new Dependency(Dependency.Kind.SINGLETON, null, -1, 0, null, false);
            case DependencySpec.OnJob(var type, var job, var delay) ->
                    new Dependency(
                            kind(type),
                            JobId.of(job.job()),
                            job instanceof JobReference.Task task ? task.index() : -1,
                            Math.clamp(delay.toMinutes(), 0, Integer.MAX_VALUE),
                            null,
                            false);
        };
    }

    private static Dependency.Kind kind(DependencySpec.Type type) {
        return switch (type) {
            case AFTER -> Dependency.Kind.AFTER;
            case AFTERANY, AFTERBURSTBUFFER -> Dependency.Kind.AFTERANY;
            case AFTEROK -> Dependency.Kind.AFTEROK;
            case AFTERNOTOK -> Dependency.Kind.AFTERNOTOK;
            case AFTERCORR -> Dependency.Kind.AFTERCORR;
        };
    }
}
