package dev.spur.engine.scheduling;

/// Of the nodes offered, the few with the earliest times; of equal times those offered first. A
/// binary heap with the latest of them on top, so that a node that comes too late costs one look.
final class EarliestNodes {
    private final int most;
    private final long[] entries;
    private int size;
    private int limit = NodeLine.FOREVER;

    EarliestNodes(int most) {
        this.most = most;
        entries = new long[most];
    }

    /// Nodes must be offered in ascending order, each with a time before [#last].
    void offer(int time, int position) {
        var entry = (long) time << 32 | position;
        if (size < most) {
            rise(size++, entry);
        } else {
            sink(entry);
        }
    }

    /// The latest of the earliest times; while there are too few, the limit.
    int last() {
        return size < most ? limit : (int) (entries[0] >>> 32);
    }

    int size() {
        return size;
    }

    int position(int i) {
        return (int) entries[i];
    }

    /// Begins anew; only times before the limit count.
    void clear(int before) {
        size = 0;
        limit = before;
    }

    boolean isEnough() {
        return size == most;
    }

    private void rise(int from, long rising) {
        var i = from;
        while (i > 0 && entries[(i - 1) / 2] < rising) {
            entries[i] = entries[(i - 1) / 2];
            i = (i - 1) / 2;
        }
        entries[i] = rising;
    }

    private void sink(long sinking) {
        var i = 0;
        while (2 * i + 1 < size) {
            var child = 2 * i + 1;
            if (child + 1 < size && entries[child + 1] > entries[child]) {
                child++;
            }
            if (entries[child] <= sinking) {
                break;
            }
            entries[i] = entries[child];
            i = child;
        }
        entries[i] = sinking;
    }
}
