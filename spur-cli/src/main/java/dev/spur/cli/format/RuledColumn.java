package dev.spur.cli.format;

import java.util.function.BiFunction;

/// One column of a [RuledTable].
///
/// @param name by which it is chosen
/// @param heading what stands above it
/// @param width usual; negative: values stand at the left
public record RuledColumn<R>(
        String name, String heading, int width, Kind kind, BiFunction<R, View, String> cell) {
    /// What becomes of a value that is wider than its column.
    public enum Kind {
        /// Cut, with a `+` at its end.
        TEXT,
        /// Cut.
        TIME,
        /// Left as it is.
        NUMBER
    }

    public static <R> RuledColumn<R> text(
            String name, int width, BiFunction<R, View, String> cell) {
        return new RuledColumn<>(name, name, width, Kind.TEXT, cell);
    }

    public static <R> RuledColumn<R> time(
            String name, int width, BiFunction<R, View, String> cell) {
        return new RuledColumn<>(name, name, width, Kind.TIME, cell);
    }

    public static <R> RuledColumn<R> number(
            String name, int width, BiFunction<R, View, String> cell) {
        return new RuledColumn<>(name, name, width, Kind.NUMBER, cell);
    }

    public RuledColumn<R> headed(String other) {
        return new RuledColumn<>(name, other, width, kind, cell);
    }

    public RuledColumn<R> wide(int other) {
        return new RuledColumn<>(name, heading, other, kind, cell);
    }
}
