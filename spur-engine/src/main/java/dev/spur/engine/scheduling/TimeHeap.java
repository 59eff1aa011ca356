package dev.spur.engine.scheduling;

import java.util.Arrays;

/// Nodes by time, the earliest first and of equal times the lowest position: a binary heap of
/// numbers that hold both.
final class TimeHeap {
    private long[] entries;
    private int size;

    TimeHeap(int capacity) {
        entries = new long[Math.max(4, capacity)];
    }

    private static long entry(int time, int position) {
        return (long) time << 32 | position;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    int time() {
        return (int) (entries[0] >>> 32);
    }

    int position() {
        return (int) entries[0];
    }

    int positionAt(int i) {
        return (int) entries[i];
    }

    /// Adds without keeping the order; [#order] restores it.
    void append(int time, int position) {
        entries[size++] = entry(time, position);
    }

    void order() {
        for (var i = size / 2 - 1; i >= 0; i--) {
            sink(i, entries[i]);
        }
    }

    void add(int time, int position) {
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, 2 * size);
        }
        var added = entry(time, position);
        var i = size++;
        while (i > 0 && entries[(i - 1) / 2] > added) {
            entries[i] = entries[(i - 1) / 2];
            i = (i - 1) / 2;
        }
        entries[i] = added;
    }

    void remove() {
        size--;
        if (size > 0) {
            sink(0, entries[size]);
        }
    }

    /// Gives the first node another, later time.
    void postpone(int time) {
        sink(0, entry(time, position()));
    }

    private void sink(int from, long sinking) {
        var i = from;
        while (2 * i + 1 < size) {
            var child = 2 * i + 1;
            if (child + 1 < size && entries[child + 1] < entries[child]) {
                child++;
            }
            if (entries[child] >= sinking) {
                break;
            }
            entries[i] = entries[child];
            i = child;
        }
        entries[i] = sinking;
    }
}
