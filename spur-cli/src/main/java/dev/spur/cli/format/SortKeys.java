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
        var columns = new ArrayList<long[]>(keys.size());
        for (var key : keys) {
            var column = ranks(rows, key);
            if (!isConstant(column)) { // usually half of them: one partition, one state
                columns.add(column);
            }
        }
        if (columns.isEmpty()) {
            return rows;
        }
        var ranked = new ArrayList<Ranked<R>>(rows.size());
        for (var i = 0; i < rows.size(); i++) {
            ranked.add(new Ranked<>(rows.get(i), i, columns.getFirst()[i]));
        }
        var others = columns.subList(1, columns.size()).toArray(long[][]::new);
        ranked.sort((a, b) -> compare(a, b, others));
        var sorted = new ArrayList<R>(rows.size());
        ranked.forEach(row -> sorted.add(row.row()));
        return sorted;
    }

    /// A row with its rank by the decisive key, and its place in the columns of the others.
    private record Ranked<R>(R row, int index, long rank) {}

    private static int compare(Ranked<?> a, Ranked<?> b, long[][] others) {
        if (a.rank() != b.rank()) {
            return a.rank() < b.rank() ? -1 : 1;
        }
        for (var column : others) {
            var order = Long.compare(column[a.index()], column[b.index()]);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static boolean isConstant(long[] column) {
        for (var rank : column) {
            if (rank != column[0]) {
                return false;
            }
        }
        return true;
    }

    private static <R> long[] ranks(List<R> rows, Key<R> key) {
        var ranks = new long[rows.size()];
        switch (key) {
            case Descending<R>(var inner) -> {
                var ascending = ranks(rows, inner);
                for (var i = 0; i < ranks.length; i++) {
                    ranks[i] = -ascending[i];
                }
            }
            case ByNumber<R>(var value) -> {
                for (var i = 0; i < ranks.length; i++) {
                    ranks[i] = value.applyAsLong(rows.get(i));
                }
            }
            case ByText<R>(var value, var order) -> rankTexts(rows, value, order, ranks);
        }
        return ranks;
    }

    /// Numbers the different texts in their order. Neighbours often share one: those are not looked
    /// up.
    private static <R> void rankTexts(
            List<R> rows, Function<R, String> value, Comparator<String> order, long[] ranks) {
        var numbers = new HashMap<String, Integer>();
        var last = "";
        var number = -1;
        for (var i = 0; i < ranks.length; i++) {
            var text = value.apply(rows.get(i));
            if (number < 0 || !text.equals(last)) {
                last = text;
                number = numbers.computeIfAbsent(text, _ -> numbers.size());
            }
            ranks[i] = number;
        }
        var texts = new ArrayList<>(numbers.keySet());
        texts.sort(order);
        var places = new long[texts.size()];
        for (var place = 0; place < places.length; place++) {
            places[numbers.getOrDefault(texts.get(place), 0)] = place;
        }
        for (var i = 0; i < ranks.length; i++) {
            ranks[i] = places[(int) ranks[i]];
        }
    }
}
