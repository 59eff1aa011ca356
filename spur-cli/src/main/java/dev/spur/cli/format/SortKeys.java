package dev.spur.cli.format;

import dev.spur.cli.Failure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// What a listing is sorted by, as `-S P,t,-p` says: letters of fields, `-` for descending, `#P`
/// for the order of the configuration. Every row's keys are computed once, as numbers, before
/// anything is compared.
public final class SortKeys<R> {
    private final List<Key<R>> keys;

    /// How rows are ordered by one letter.
    public sealed interface Key<R> {}

    public record ByNumber<R>(ToLongFunction<R> value) implements Key<R> {}

    public record ByText<R>(Function<R, String> value, Comparator<String> order)
            implements Key<R> {}

    public record Descending<R>(Key<R> key) implements Key<R> {}

    private SortKeys(List<Key<R>> keys) {
        this.keys = List.copyOf(keys);
    }

    public static <R> Key<R> number(ToLongFunction<R> value) {
        return new ByNumber<>(value);
    }

    public static <R> Key<R> text(Function<R, String> value) {
        return new ByText<>(value, Comparator.naturalOrder());
    }

    /// Reads a sort specification.
    ///
    /// @param table the keys of each letter, the first of them decisive; under `#` + letter those
    ///   of the order of the configuration
    public static <R> SortKeys<R> parse(String specification, Map<String, List<Key<R>>> table) {
        var keys = new ArrayList<Key<R>>();
        var isDescending = false;
        var isConfigured = false;
        for (var i = 0; i < specification.length(); i++) {
            var c = specification.charAt(i);
            switch (c) {
                case ',', ' ', '+', '%' -> {}
                case '-' -> isDescending = true;
                case '#' -> isConfigured = true;
                default -> {
                    var found = table.get(isConfigured ? "#" + c : "" + c);
                    if (found == null) {
                        throw new Failure("Invalid sort specification: " + c);
                    }
                    for (var key : found) {
                        keys.add(isDescending ? new Descending<>(key) : key);
                    }
                    isDescending = false;
                    isConfigured = false;
                }
            }
        }
        return new SortKeys<>(keys);
    }

    /// The rows in order; those with equal keys stay as they were.
    public List<R> sorted(List<R> rows) {
        if (keys.isEmpty() || rows.size() < 2) {
            return rows;
        }
        var ranked = new ArrayList<Ranked<R>>(rows.size());
        for (var row : rows) {
            ranked.add(new Ranked<>(row, new long[keys.size()]));
        }
        for (var i = 0; i < keys.size(); i++) {
            rank(ranked, keys.get(i), i, 1);
        }
        ranked.sort(SortKeys::compare);
        return ranked.stream().map(Ranked::row).toList();
    }

    private record Ranked<R>(R row, long[] ranks) {}

    private static int compare(Ranked<?> a, Ranked<?> b) {
        for (var i = 0; i < a.ranks().length; i++) {
            var order = Long.compare(a.ranks()[i], b.ranks()[i]);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static <R> void rank(List<Ranked<R>> rows, Key<R> key, int column, int sign) {
        switch (key) {
            case Descending<R>(var inner) -> rank(rows, inner, column, -sign);
            case ByNumber<R>(var value) ->
                    rows.forEach(row -> row.ranks()[column] = sign * value.applyAsLong(row.row()));
            case ByText<R>(var value, var order) -> {
                var ranks = new HashMap<String, Long>();
                rows.forEach(row -> ranks.put(value.apply(row.row()), 0L));
                var texts = new ArrayList<>(ranks.keySet());
                texts.sort(order);
                for (var i = 0; i < texts.size(); i++) {
                    ranks.put(texts.get(i), (long) i);
                }
                rows.forEach(row ->
                        row.ranks()[column] =
                                sign * ranks.getOrDefault(value.apply(row.row()), 0L));
            }
        }
    }
}
