package dev.spur.engine.scheduling;

import java.util.Arrays;
import java.util.BitSet;

/// When each node is closed to some jobs, in seconds from the pass's whole second: it is kept for
/// others, or their own reservation does not stand.
final class Closures {
    static final int[] NEVER = {};

    /// For each node, pairs of from and to, in order and apart from each other.
    private final int[][] closed;

    /// Before it, every node is closed.
    final int earliest;

    /// The last moment at which some node opens.
    final int last;

    Closures(int[][] closed) {
        this.closed = closed;
        var opens = NodeLine.FOREVER;
        var latest = 0;
        for (var times : closed) {
            opens = Math.min(opens, open(times, 0, 1));
            for (var i = 1; i < times.length; i += 2) {
                latest = times[i] < NodeLine.FOREVER ? Math.max(latest, times[i]) : latest;
            }
        }
        earliest = opens;
        last = latest;
    }

    /// Takes those out that are not open for so long from now on.
    void keepOpen(BitSet positions, int seconds) {
        for (var at = positions.nextSetBit(0); at >= 0; at = positions.nextSetBit(at + 1)) {
            if (open(closed[at], 0, seconds) > 0) {
                positions.clear(at);
            }
        }
    }

    /// The first time from `from` on at which it is open for so long; [NodeLine#FOREVER] if never.
    int open(int position, int from, int seconds) {
        return open(closed[position], from, seconds);
    }

    private static int open(int[] times, int from, int seconds) {
        var time = from;
        for (var i = 0; i < times.length; i += 2) {
            if (times[i + 1] > time) {
                if (times[i] >= Timeline.end(time, seconds)) {
                    return time;
                }
                time = times[i + 1];
            }
        }
        return time;
    }

    /// Until when it stays open from now on.
    int openUntil(int position) {
        var times = closed[position];
        return times.length == 0 ? NodeLine.FOREVER : times[0];
    }

    /// Until when it is closed; 0 if it is open now.
    int closedUntil(int position) {
        var times = closed[position];
        return times.length == 0 || times[0] > 0 ? 0 : times[1];
    }

    /// Both together.
    static int[] union(int[] one, int[] other) {
        if (other.length == 0 || one == other) {
            return one;
        }
        if (one.length == 0) {
            return other;
        }
        var pairs = new long[(one.length + other.length) / 2];
        var count = 0;
        for (var times : new int[][] {one, other}) {
            for (var i = 0; i < times.length; i += 2) {
                pairs[count++] = (long) times[i] << 32 | times[i + 1];
            }
        }
        Arrays.sort(pairs);
        var merged = new int[2 * count];
        var size = 0;
        for (var pair : pairs) {
            var from = (int) (pair >>> 32);
            var to = (int) pair;
            if (size > 0 && from <= merged[size - 1]) {
                merged[size - 1] = Math.max(merged[size - 1], to);
            } else {
                merged[size++] = from;
                merged[size++] = to;
            }
        }
        return Arrays.copyOf(merged, size);
    }

    /// The times between.
    static int[] without(int[] times) {
        var between = new int[times.length + 2];
        var size = 0;
        var time = 0;
        for (var i = 0; i < times.length; i += 2) {
            if (times[i] > time) {
                between[size++] = time;
                between[size++] = times[i];
            }
            time = times[i + 1];
        }
        if (time < NodeLine.FOREVER) {
            between[size++] = time;
            between[size++] = NodeLine.FOREVER;
        }
        return Arrays.copyOf(between, size);
    }
}
