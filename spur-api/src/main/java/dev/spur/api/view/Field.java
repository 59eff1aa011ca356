package dev.spur.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One thing that can be seen of an entity.
///
/// @param name in `/api/v1`; empty: Slurm's clients alone see it
/// @param about what it is, a few words for the documentation
/// @param slurm where Slurm's structure of the entity has it, as `maximums.nodes`; none: ours alone
/// @param children the table of those that [Kind#LIST] lists
public record Field<M>(
        String name,
        Kind kind,
        String about,
        List<String> slurm,
        Getter<M> getter,
        @Nullable EntityTable<?> children) {
    /// What a value is, for schemas.
    public enum Kind {
        TEXT,
        NUMBER,
        DECIMAL,
        FLAG,
        INSTANT,
        WORDS,
        EXIT,
        TRES,
        LIST
    }

    /// Reads the value off the wire message. Called for every field of long listings: allocates
    /// little.
    @FunctionalInterface
    public interface Getter<M> {
        void get(M message, Values out);
    }

    public Field {
        slurm = List.copyOf(slurm);
    }

    boolean isPlain() {
        return !name.isEmpty();
    }
}
