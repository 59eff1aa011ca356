package dev.spur.cli.format;

import java.util.List;

/// One thing that can be shown of a row.
///
/// @param letter for `-o %x`; [#NO_LETTER] when only the long names exist
/// @param names for `-O`, in lower case
/// @param isCut whether a value wider than its column is cut; Slurm lets durations overflow
public record Field<R>(
        char letter, List<String> names, String header, Cell<R> cell, boolean isCut) {
    public static final char NO_LETTER = 0;

    /// Appends the value of one row. Called for every cell of long listings: allocates little.
    @FunctionalInterface
    public interface Cell<R> {
        void append(StringBuilder line, R row, View view);
    }

    public Field {
        names = List.copyOf(names);
    }

    public static <R> Field<R> of(char letter, String header, Cell<R> cell, String... names) {
        return new Field<>(letter, List.of(names), header, cell, true);
    }

    public static <R> Field<R> of(String header, Cell<R> cell, String... names) {
        return of(NO_LETTER, header, cell, names);
    }

    /// The same field, its values never cut.
    public Field<R> uncut() {
        return new Field<>(letter, names, header, cell, false);
    }
}
