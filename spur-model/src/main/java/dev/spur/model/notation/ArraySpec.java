package dev.spur.model.notation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PrimitiveIterator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The task indices of a job array, `0-15:4`, `1,3,5-7%4`, with an optional limit on how many tasks
/// run at once.
///
/// A set of indices, kept as ranges and never as single numbers: an array of a million tasks is one
/// range, and taking one index out splits at most one range. Two specs are equal when they hold the
/// same indices and the same throttle, however they were written.
public final class ArraySpec {
    /// The largest MaxArraySize that Slurm can be configured with.
    public static final int LARGEST_MAX_ARRAY_SIZE = 4_000_001;

    /// Somebody names a thousand arrays in one request: each costs next to nothing.
    private static final int MOST_COUNTED_OUT = 100_000;

    /// Slurm prints a regular step as `first-last:step` only if the indices span more than this ...
    private static final int SHORT_SPAN = 10;

    /// ... and are more than this many.
    private static final int FEW_INDICES = 5;

    /// Every `step`th index from `first` to `last`, both included.
    public record Range(int first, int last, int step) {
        public Range {
            if (first < 0 || last < first || step < 1 || (last - first) % step != 0) {
                throw new IllegalArgumentException(
                        Text.of("not a range: %d-%d:%d", first, last, step));
            }
        }

        Range(int only) {
            this(only, only, 1);
        }

        /// Ends at the last index that the steps reach.
        static Range upTo(int first, int last, int step) {
            var reached = last - (last - first) % step;
            return reached == first ? new Range(first) : new Range(first, reached, step);
        }

        int count() {
            return (last - first) / step + 1;
        }

        boolean isLoosePair() {
            return count() == 2 && step > 1;
        }

        boolean contains(int index) {
            return index >= first && index <= last && (index - first) % step == 0;
        }

        /// Looks at no more indices than the other's step: then the remainders come again.
        boolean meets(Range other) {
            if (step < other.step) {
                return other.meets(this);
            }
            var from = Math.max(first, other.first);
            var index = first + (long) Math.ceilDiv(from - first, step) * step;
            for (var tries = 0; tries < other.step && index <= last; tries++) {
                if (index > other.last) {
                    return false;
                }
                if (other.contains((int) index)) {
                    return true;
                }
                index += step;
            }
            return false;
        }

        @Override
        public String toString() {
            if (first == last) {
                return Integer.toString(first);
            }
            return first + "-" + last + (step == 1 ? "" : ":" + step);
        }
    }

    /// In ascending order; each ends before the next begins.
    private final List<Range> ranges;

    private final @Nullable Integer throttle;

    private ArraySpec(List<Range> ranges, @Nullable Integer throttle) {
        this.ranges = List.copyOf(ranges);
        this.throttle = throttle;
    }

    public static ArraySpec parse(String text) {
        return parse(text, LARGEST_MAX_ARRAY_SIZE);
    }

    /// Also refuses indices of `maxArraySize` and above.
    public static ArraySpec parse(String text, int maxArraySize) {
        var open = text.startsWith("[");
        if (open != text.endsWith("]")) {
            throw notAnArray(text);
        }
        var body = open ? text.substring(1, text.length() - 1) : text;
        var percent = body.indexOf('%');
        // The throttle may follow any part: 1-3%2,5 is 1-3,5%2.
        var comma = body.indexOf(',', Math.max(percent, 0));
        var end = percent < 0 || comma < 0 ? body.length() : comma;
        var throttle = percent < 0 ? null : throttle(text, body.substring(percent + 1, end));
        var list = percent < 0 ? body : body.substring(0, percent) + body.substring(end);
        var ranges = new ArrayList<Range>();
        for (var part : list.split(",", -1)) {
            ranges.add(range(text, part, maxArraySize));
        }
        return new ArraySpec(disjoint(text, ranges), throttle);
    }

    /// All indices from first to last.
    public static ArraySpec of(int first, int last) {
        return new ArraySpec(List.of(new Range(first, last, 1)), null);
    }

    public List<Range> ranges() {
        return ranges;
    }

    /// How many tasks may run at once; empty if as many as fit.
    public OptionalInt throttle() {
        return throttle == null ? OptionalInt.empty() : OptionalInt.of(throttle);
    }

    public ArraySpec withThrottle(OptionalInt limit) {
        return new ArraySpec(
                ranges, limit.isPresent() && limit.getAsInt() > 0 ? limit.getAsInt() : null);
    }

    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    /// Whether some index is in both.
    public boolean intersects(ArraySpec other) {
        for (var one : ranges) {
            for (var two : other.ranges) {
                if (one.meets(two)) {
                    return true;
                }
            }
        }
        return false;
    }

    public int count() {
        var count = 0;
        for (var range : ranges) {
            count += range.count();
        }
        return count;
    }

    public int min() {
        requireIndices();
        return ranges.getFirst().first();
    }

    public int max() {
        requireIndices();
        return ranges.getLast().last();
    }

    /// The step that was written, as `SLURM_ARRAY_TASK_STEP` tells it; 1 if none was.
    public int step() {
        return ranges.stream().mapToInt(Range::step).filter(step -> step > 1).findFirst().orElse(1);
    }

    public boolean contains(int index) {
        var position = position(index);
        return position >= 0 && ranges.get(position).contains(index);
    }

    /// The same array without this index; unchanged if it does not hold it.
    public ArraySpec without(int index) {
        var position = position(index);
        if (position < 0 || !ranges.get(position).contains(index)) {
            return this;
        }
        var range = ranges.get(position);
        var rest = new ArrayList<Range>(ranges.size() + 1);
        rest.addAll(ranges.subList(0, position));
        if (index > range.first()) {
            rest.add(Range.upTo(range.first(), index - range.step(), range.step()));
        }
        if (index < range.last()) {
            rest.add(Range.upTo(index + range.step(), range.last(), range.step()));
        }
        rest.addAll(ranges.subList(position + 1, ranges.size()));
        return new ArraySpec(rest, throttle);
    }

    /// The indices in ascending order, one at a time.
    public IntStream indices() {
        return ranges.stream()
                .flatMapToInt(range ->
                        IntStream.range(0, range.count())
                                .map(i -> range.first() + i * range.step()));
    }

    /// As Slurm prints it: `3-10%2`, `1,3,5,10`, and a step only where it spans all (`0-30:3`).
    @Override
    public String toString() {
        return indexText(Integer.MAX_VALUE) + throttleText();
    }

    /// In brackets, as in the `JOBID` column of squeue: `[3-10%2]`.
    public String bracketed() {
        return "[" + this + "]";
    }

    /// As [#toString] but bounded as Slurm bounds it: an index list that does not fit `length`
    /// characters (`SLURM_BITSTR_LEN`, 64 by default) ends in `...`. Zero means no bound.
    public String abbreviated(int length) {
        if (length <= 0) {
            return toString();
        }
        var text = indexText(length);
        // Slurm's buffer of that length also holds the terminating NUL.
        var room = Math.max(0, length - 4);
        var cut =
                text.length() > length - 3
                        ? text.substring(0, Math.min(room, text.length())) + "..."
                        : text;
        return cut + throttleText();
    }

    /// The shortest text that [#parse] reads back, for storing: its length follows the number of
    /// ranges.
    public String compact() {
        return ranges.stream().map(Range::toString).collect(Collectors.joining(","))
                + throttleText();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ArraySpec that
                && Objects.equals(throttle, that.throttle)
                && (ranges.equals(that.ranges) || holdsSameIndices(that));
    }

    @Override
    public int hashCode() {
        return ranges.isEmpty() ? 0 : Objects.hash(min(), max(), count(), throttle);
    }

    private boolean holdsSameIndices(ArraySpec that) {
        return count() == that.count()
                && greedy(indices().iterator()).equals(greedy(that.indices().iterator()));
    }

    private void requireIndices() {
        if (ranges.isEmpty()) {
            throw new NoSuchElementException("the array holds no index");
        }
    }

    private String throttleText() {
        return throttle == null ? "" : "%" + throttle;
    }

    /// Stops once the text is longer than `enough`.
    private String indexText(int enough) {
        return regularStep().map(Range::toString).orElseGet(() -> runs(enough));
    }

    private Optional<Range> regularStep() {
        if (isEmpty()
                || max() - min() <= SHORT_SPAN
                || count() <= FEW_INDICES
                || contains(min() + 1)) {
            return Optional.empty();
        }
        if (ranges.size() == 1) {
            return Optional.of(ranges.getFirst());
        }
        var indices = indices().iterator();
        var first = indices.nextInt();
        var last = indices.nextInt();
        var step = last - first;
        while (indices.hasNext()) {
            var index = indices.nextInt();
            if (index - last != step) {
                return Optional.empty();
            }
            last = index;
        }
        return Optional.of(new Range(first, last, step));
    }

    /// Consecutive indices as `first-last`, everything else one by one.
    private String runs(int enough) {
        var text = new StringBuilder();
        var first = -1;
        var last = -1;
        for (var range : ranges) {
            var stride = range.step() == 1 ? range.last() - range.first() + 1 : range.step();
            for (var start = range.first();
                    start <= range.last() && text.length() <= enough;
                    start += stride) {
                if (start != last + 1 || first < 0) {
                    appendRun(text, first, last);
                    first = start;
                }
                last = range.step() == 1 ? range.last() : start;
            }
        }
        appendRun(text, first, last);
        return text.toString();
    }

    private static void appendRun(StringBuilder text, int first, int last) {
        if (first < 0) {
            return;
        }
        text.append(text.isEmpty() ? "" : ",").append(first);
        if (last > first) {
            text.append('-').append(last);
        }
    }

    /// Where the range is that could hold the index, or -1.
    private int position(int index) {
        var low = 0;
        var high = ranges.size() - 1;
        while (low <= high) {
            var middle = (low + high) >>> 1;
            var range = ranges.get(middle);
            if (index < range.first()) {
                high = middle - 1;
            } else if (index > range.last()) {
                low = middle + 1;
            } else {
                return middle;
            }
        }
        return -1;
    }

    private static Range range(String text, String part, int maxArraySize) {
        var colon = part.indexOf(':');
        var span = colon < 0 ? part : part.substring(0, colon);
        var dash = span.indexOf('-');
        var first = index(text, dash < 0 ? span : span.substring(0, dash), maxArraySize);
        var last = dash < 0 ? first : index(text, span.substring(dash + 1), maxArraySize);
        if (last < first || (colon >= 0 && dash < 0)) {
            throw notAnArray(text);
        }
        var step = colon < 0 ? 1 : index(text, part.substring(colon + 1), LARGEST_MAX_ARRAY_SIZE);
        if (step < 1) {
            throw notAnArray(text);
        }
        return Range.upTo(first, last, step);
    }

    private static int index(String text, String field, int bound) {
        var value = Digits.parse(field).orElseThrow(() -> notAnArray(text));
        if (value >= bound) {
            throw new NotationException(
                    text,
                    "an array specification",
                    "indices and steps must be below " + bound + " (MaxArraySize)");
        }
        return (int) value;
    }

    private static @Nullable Integer throttle(String text, String field) {
        var value = Digits.parse(field).orElseThrow(() -> notAnArray(text));
        if (value > Integer.MAX_VALUE) {
            throw notAnArray(text);
        }
        return value == 0 ? null : (Integer) (int) value;
    }

    private static NotationException notAnArray(String text) {
        return new NotationException(
                text,
                "an array specification",
                "write indices and ranges separated by commas, with an optional step and throttle, as in 0-15:4 or"
                        + " 1,3,5-7%4");
    }

    /// Runs that overlap become one; only steps across others are counted out, and of those no more
    /// than a request may cost.
    private static List<Range> disjoint(String text, List<Range> ranges) {
        var sorted = ranges.stream().sorted(Comparator.comparingInt(Range::first)).toList();
        if (isDisjoint(sorted)) {
            return sorted;
        }
        var runs = new ArrayList<Range>();
        var isRunsOnly = true;
        for (var range : sorted) {
            var before = runs.isEmpty() ? null : runs.getLast();
            if (before != null
                    && before.step() == 1
                    && range.step() == 1
                    && range.first() <= before.last() + 1) {
                runs.set(
                        runs.size() - 1,
                        new Range(before.first(), Math.max(before.last(), range.last()), 1));
            } else {
                runs.add(range);
            }
            isRunsOnly &= range.step() == 1;
        }
        if (isRunsOnly || isDisjoint(runs)) {
            return runs;
        }
        if (runs.stream().mapToLong(Range::count).sum() > MOST_COUNTED_OUT) {
            throw new NotationException(
                    text,
                    "an array specification",
                    Text.of(
                            "its ranges with steps overlap, with more than %d indices; write each index once",
                            MOST_COUNTED_OUT));
        }
        var set = new BitSet();
        new ArraySpec(runs, null).indices().forEach(set::set);
        return greedy(set.stream().iterator());
    }

    private static boolean isDisjoint(List<Range> sorted) {
        for (var i = 1; i < sorted.size(); i++) {
            if (sorted.get(i).first() <= sorted.get(i - 1).last()) {
                return false;
            }
        }
        return true;
    }

    /// The one way to write a set of ascending indices: from left to right, each range as long as
    /// its step holds; two indices are a range only if they are neighbours.
    private static List<Range> greedy(PrimitiveIterator.OfInt indices) {
        var ranges = new ArrayList<Range>();
        var open = indices.hasNext() ? new Range(indices.nextInt()) : null;
        while (open != null && indices.hasNext()) {
            var index = indices.nextInt();
            var gap = index - open.last();
            if (open.count() == 1 || gap == open.step()) {
                open = new Range(open.first(), index, gap);
            } else if (open.isLoosePair()) {
                ranges.add(new Range(open.first()));
                open = new Range(open.last(), index, gap);
            } else {
                ranges.add(open);
                open = new Range(index);
            }
        }
        if (open != null && open.isLoosePair()) {
            ranges.add(new Range(open.first()));
            open = new Range(open.last());
        }
        if (open != null) {
            ranges.add(open);
        }
        return ranges;
    }
}
