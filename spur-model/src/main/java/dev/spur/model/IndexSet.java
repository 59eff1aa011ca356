package dev.spur.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;

/// An immutable set of small numbers: CPUs or devices of a node, tasks of a step. Prints as
/// `0-3,7`.
public final class IndexSet {
    public static final IndexSet EMPTY = new IndexSet(new long[0]);

    // Bit n of word w is member 64w + n; the last word is never zero, so that equal sets have equal
    // words.
    private final long[] words;

    private IndexSet(long[] words) {
        this.words = words;
    }

    /// The set with the given bits, as [BitSet#toLongArray] gives them.
    public static IndexSet ofWords(long... words) {
        var length = words.length;
        while (length > 0 && words[length - 1] == 0) {
            length--;
        }
        return length == 0 ? EMPTY : new IndexSet(Arrays.copyOf(words, length));
    }

    public static IndexSet of(BitSet bits) {
        return ofWords(bits.toLongArray());
    }

    public static IndexSet of(int... members) {
        var bits = new BitSet();
        for (var member : members) {
            bits.set(member);
        }
        return of(bits);
    }

    /// `from` up to and without `to`.
    public static IndexSet range(int from, int to) {
        var bits = new BitSet();
        bits.set(from, to);
        return of(bits);
    }

    public long[] toWords() {
        return words.clone();
    }

    public BitSet toBitSet() {
        return BitSet.valueOf(words);
    }

    public int size() {
        var size = 0;
        for (var word : words) {
            size += Long.bitCount(word);
        }
        return size;
    }

    public boolean isEmpty() {
        return words.length == 0;
    }

    public boolean contains(int member) {
        var word = member >> 6;
        return word < words.length && (words[word] & 1L << member) != 0;
    }

    public boolean containsAll(IndexSet other) {
        return other.minus(this).isEmpty();
    }

    public boolean intersects(IndexSet other) {
        for (var i = 0; i < Math.min(words.length, other.words.length); i++) {
            if ((words[i] & other.words[i]) != 0) {
                return true;
            }
        }
        return false;
    }

    public IndexSet plus(IndexSet other) {
        var result = Arrays.copyOf(words, Math.max(words.length, other.words.length));
        for (var i = 0; i < other.words.length; i++) {
            result[i] |= other.words[i];
        }
        return ofWords(result);
    }

    public IndexSet minus(IndexSet other) {
        var result = words.clone();
        for (var i = 0; i < Math.min(words.length, other.words.length); i++) {
            result[i] &= ~other.words[i];
        }
        return ofWords(result);
    }

    public IndexSet intersect(IndexSet other) {
        var result = Arrays.copyOf(words, Math.min(words.length, other.words.length));
        for (var i = 0; i < result.length; i++) {
            result[i] &= other.words[i];
        }
        return ofWords(result);
    }

    /// The lowest `count` members, or all if there are fewer.
    public IndexSet first(int count) {
        var bits = new BitSet();
        var left = count;
        for (var member = next(0); member >= 0 && left > 0; member = next(member + 1), left--) {
            bits.set(member);
        }
        return of(bits);
    }

    /// The lowest member that is at least `from`, or -1.
    public int next(int from) {
        for (var word = from >> 6; word < words.length; word++) {
            var rest = word == from >> 6 ? words[word] & -1L << from : words[word];
            if (rest != 0) {
                return (word << 6) + Long.numberOfTrailingZeros(rest);
            }
        }
        return -1;
    }

    public void forEach(IntConsumer action) {
        for (var member = next(0); member >= 0; member = next(member + 1)) {
            action.accept(member);
        }
    }

    public List<Integer> toList() {
        var members = new ArrayList<Integer>(size());
        forEach(members::add);
        return members;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IndexSet set && Arrays.equals(words, set.words);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words);
    }

    @Override
    public String toString() {
        var text = new StringBuilder();
        for (var first = next(0); first >= 0; ) {
            var last = first;
            while (contains(last + 1)) {
                last++;
            }
            text.append(text.isEmpty() ? "" : ",").append(first);
            if (last > first) {
                text.append('-').append(last);
            }
            first = next(last + 1);
        }
        return text.toString();
    }
}
