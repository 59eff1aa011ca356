package dev.spur.model.notation;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// `--nodes`: how many nodes a job takes, `2`, `2-4`, `1k`, `1-15:4` or `1,5,9`.
///
/// `choices` is empty when every count from `least` to `most` will do. `k` and `m` stand for 1024
/// and 1048576.
public record NodeCount(int least, int most, List<Integer> choices) {
    /// A list is for picking one of a few sizes; this only stops `1-2m:2` from becoming a huge one.
    private static final int MOST_CHOICES = 10_000;

    public NodeCount {
        if (least < 1 || most < least) {
            throw new IllegalArgumentException(Text.of("not a node count: %d-%d", least, most));
        }
        choices = List.copyOf(choices);
    }

    public static NodeCount of(int count) {
        return new NodeCount(count, count, List.of());
    }

    public static NodeCount between(int least, int most) {
        return new NodeCount(least, most, List.of());
    }

    public static NodeCount parse(String text) {
        if (text.indexOf(',') < 0 && text.indexOf(':') < 0) {
            var range = Range.parse(text, text);
            return between(range.first, range.last);
        }
        var sizes = new TreeSet<Integer>();
        for (var part : text.split(",", -1)) {
            var colon = part.indexOf(':');
            var range = Range.parse(text, colon < 0 ? part : part.substring(0, colon));
            var step = colon < 0 ? 1 : number(text, part.substring(colon + 1));
            if ((range.last - range.first) / step + sizes.size() >= MOST_CHOICES) {
                throw new NotationException(
                        text,
                        "a valid node count",
                        "it lists more than " + MOST_CHOICES + " different counts");
            }
            for (long size = range.first; size <= range.last; size += step) {
                sizes.add((int) size);
            }
        }
        return new NodeCount(sizes.first(), sizes.last(), List.copyOf(sizes));
    }

    public boolean allows(int nodes) {
        return choices.isEmpty() ? nodes >= least && nodes <= most : choices.contains(nodes);
    }

    /// `2`, `2-4` or the list of choices.
    @Override
    public String toString() {
        if (!choices.isEmpty()) {
            return choices.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        return least == most ? Integer.toString(least) : least + "-" + most;
    }

    private record Range(int first, int last) {
        static Range parse(String text, String part) {
            var dash = part.indexOf('-');
            var first = number(text, dash < 0 ? part : part.substring(0, dash));
            var last = dash < 0 ? first : number(text, part.substring(dash + 1));
            if (last < first) {
                throw new NotationException(
                        text,
                        "a valid node count",
                        Text.of("its maximum %d is less than its minimum %d", last, first));
            }
            return new Range(first, last);
        }
    }

    private static int number(String text, String field) {
        var suffix =
                field.isEmpty() ? ' ' : Character.toLowerCase(field.charAt(field.length() - 1));
        var factor = suffix == 'k' ? 1024 : suffix == 'm' ? 1024 * 1024 : 1;
        var digits = factor == 1 ? field : field.substring(0, field.length() - 1);
        var value = Digits.parse(digits).orElseThrow(() -> notACount(text)) * factor;
        if (value < 1 || value > Integer.MAX_VALUE) {
            throw notACount(text);
        }
        return (int) value;
    }

    private static NotationException notACount(String text) {
        return new NotationException(
                text,
                "a valid node count",
                "write a count, a range or a list, as in 4, 2-4, 1-15:4 or 1,5,9");
    }
}
