package dev.spur.engine.tres;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/// Amounts by the numbers of a [TresRegistry]; what is not there is 0. Sums are exact or fail.
public final class TresVector {
    public static final TresVector ZERO = new TresVector(new int[0], new long[0]);

    /// Of one amount: more than any machine has, and so little that sums of a million stay exact.
    public static final long MOST = 1L << 42;

    private final int[] ids; // ascending
    private final long[] amounts; // none of them 0

    private TresVector(int[] ids, long[] amounts) {
        this.ids = ids;
        this.amounts = amounts;
    }

    /// Amounts beyond [#MOST] count as that.
    public static TresVector of(SortedMap<Integer, Long> amounts) {
        var result = new Builder(amounts.size());
        amounts.forEach((id, amount) -> result.add(id, Math.clamp(amount, -MOST, MOST)));
        return result.done();
    }

    public long get(int id) {
        var at = Arrays.binarySearch(ids, id);
        return at < 0 ? 0 : amounts[at];
    }

    /// Takes a number and its amount.
    public interface AmountSink {
        void accept(int id, long amount);
    }

    /// By ascending number.
    public void forEach(AmountSink sink) {
        for (var i = 0; i < ids.length; i++) {
            sink.accept(ids[i], amounts[i]);
        }
    }

    /// By number, ascending.
    public SortedMap<Integer, Long> amounts() {
        var amounts = new TreeMap<Integer, Long>();
        for (var i = 0; i < ids.length; i++) {
            amounts.put(ids[i], this.amounts[i]);
        }
        return amounts;
    }

    public boolean isZero() {
        return ids.length == 0;
    }

    /// @throws ArithmeticException if a sum is beyond all numbers
    public TresVector plus(TresVector other) {
        return merged(other, 1);
    }

    /// @throws ArithmeticException if a difference is beyond all numbers
    public TresVector minus(TresVector other) {
        return merged(other, -1);
    }

    private TresVector merged(TresVector other, int sign) {
        var result = new Builder(ids.length + other.ids.length);
        var own = 0;
        var others = 0;
        while (own < ids.length || others < other.ids.length) {
            var id = own < ids.length ? ids[own] : Integer.MAX_VALUE;
            var otherId = others < other.ids.length ? other.ids[others] : Integer.MAX_VALUE;
            var sum = id <= otherId ? amounts[own++] : 0;
            if (otherId <= id) {
                sum = Math.addExact(sum, Math.multiplyExact(sign, other.amounts[others++]));
            }
            result.add(Math.min(id, otherId), sum);
        }
        return result.done();
    }

    /// The first number of which there is more here than there; 0 if there is none. What is not
    /// there has no bound.
    public int firstBeyond(TresVector bounds) {
        for (var i = 0; i < bounds.ids.length; i++) {
            if (get(bounds.ids[i]) > bounds.amounts[i]) {
                return bounds.ids[i];
            }
        }
        return 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TresVector vector
                && Arrays.equals(ids, vector.ids)
                && Arrays.equals(amounts, vector.amounts);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(ids) + Arrays.hashCode(amounts);
    }

    /// As Slurm stores it: `1=4,2=400`.
    @Override
    public String toString() {
        var text = new StringBuilder();
        for (var i = 0; i < ids.length; i++) {
            text.append(i == 0 ? "" : ",").append(ids[i]).append('=').append(amounts[i]);
        }
        return text.toString();
    }

    private static final class Builder {
        private final int[] ids;
        private final long[] amounts;
        private int size;

        Builder(int most) {
            ids = new int[most];
            amounts = new long[most];
        }

        void add(int id, long amount) {
            if (amount != 0) {
                ids[size] = id;
                amounts[size++] = amount;
            }
        }

        TresVector done() {
            return size == 0
                    ? ZERO
                    : new TresVector(Arrays.copyOf(ids, size), Arrays.copyOf(amounts, size));
        }
    }
}
