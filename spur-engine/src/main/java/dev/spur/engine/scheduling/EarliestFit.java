package dev.spur.engine.scheduling;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// When and where jobs of a shape fit first.
///
/// If each of a number of nodes has to take the same, every node has a first time of its own, and
/// the job fits when enough of them have come: the search jumps from the N-th smallest of these
/// times to the next until that many nodes agree on one. They are remembered with the shape, since
/// within a pass they only grow.
///
/// Otherwise the number of tasks for which the nodes have room together decides. The search jumps
/// to the first time at which enough nodes may have gained enough room.
final class EarliestFit {
    /// Jumps after which a job is planned behind everything else instead.
    private static final int MOST_JUMPS = 200;

    private final Timeline timeline;
    private final Nodes nodes;

    EarliestFit(Timeline timeline, Nodes nodes) {
        this.timeline = timeline;
        this.nodes = nodes;
    }

    record Fit(int start, NodeChoice choice) {}

    /// As early as possible, but before `before`; null if that cannot be.
    @Nullable Fit find(Shape shape, int before) {
        var fit = shape.isUniform() ? uniform(shape, before) : uneven(shape, before);
        if (fit != null) {
            shape.earliest = fit.start;
        }
        return fit;
    }

    private @Nullable Fit uniform(Shape shape, int before) {
        var among = shape.among(nodes);
        var earliest = shape.earliestOn;
        var wanted = shape.minNodes;
        var picked = new int[wanted];
        for (var time = shape.earliest; time < before; time = nth(earliest, among, wanted)) {
            shape.earliest = time;
            var count = 0;
            for (var at = among.nextSetBit(0);
                    at >= 0 && count < wanted;
                    at = among.nextSetBit(at + 1)) {
                if (earliest[at] <= time) {
                    earliest[at] =
                            timeline.line(at)
                                    .earliest(
                                            shape.need(nodes.byPosition[at]),
                                            time,
                                            (int) shape.seconds);
                    if (earliest[at] == time) {
                        picked[count++] = at;
                    }
                }
            }
            if (count == wanted) {
                return new Fit(time, NodeChoice.even(shape, picked, nodes));
            }
        }
        shape.earliest = before;
        return null;
    }

    /// The n-th smallest of the times of these nodes.
    private static int nth(int[] times, BitSet among, int n) {
        if (n == 1) {
            var least = NodeLine.FOREVER;
            for (var at = among.nextSetBit(0); at >= 0; at = among.nextSetBit(at + 1)) {
                least = Math.min(least, times[at]);
            }
            return least;
        }
        var some = new int[among.cardinality()];
        var count = 0;
        for (var at = among.nextSetBit(0); at >= 0; at = among.nextSetBit(at + 1)) {
            some[count++] = times[at];
        }
        if (count < n) {
            return NodeLine.FOREVER;
        }
        return select(some, n - 1);
    }

    /// Hoare's selection.
    private static int select(int[] numbers, int rank) {
        var low = 0;
        var high = numbers.length - 1;
        while (low < high) {
            var pivot = numbers[(low + high) >>> 1];
            var i = low;
            var j = high;
            while (i <= j) {
                while (numbers[i] < pivot) {
                    i++;
                }
                while (numbers[j] > pivot) {
                    j--;
                }
                if (i <= j) {
                    var swapped = numbers[i];
                    numbers[i++] = numbers[j];
                    numbers[j--] = swapped;
                }
            }
            if (rank <= j) {
                high = j;
            } else if (rank >= i) {
                low = i;
            } else {
                return numbers[rank];
            }
        }
        return numbers[rank];
    }

    private @Nullable Fit uneven(Shape shape, int before) {
        var among = shape.among(nodes);
        var time = shape.earliest;
        for (var jump = 0; time < before; jump++) {
            shape.earliest = time;
            var window = new Window(shape, time);
            var choice = NodeChoice.of(shape, among, window, nodes);
            if (choice != null) {
                return new Fit(time, choice);
            }
            time = jump < MOST_JUMPS ? next(shape, among, window) : last(among);
            if (jump > MOST_JUMPS) {
                break;
            }
        }
        shape.earliest = before;
        return null;
    }

    private int last(BitSet among) {
        var last = 0;
        for (var at = among.nextSetBit(0); at >= 0; at = among.nextSetBit(at + 1)) {
            last = Math.max(last, timeline.line(at).lastChange());
        }
        return last;
    }

    /// The first time at which there may be room for all tasks on enough nodes, if every node that
    /// gains some until then gains all it can.
    private int next(Shape shape, BitSet among, Window window) {
        var rises = new long[among.cardinality()];
        var count = 0;
        var room = 0L;
        var withRoom = 0;
        for (var at = among.nextSetBit(0); at >= 0; at = among.nextSetBit(at + 1)) {
            var has = window.room(at);
            room += has;
            withRoom += has > 0 ? 1 : 0;
            var rise =
                    timeline.line(at)
                            .nextRise(
                                    shape.room(nodes.byPosition[at]), has, window.from, window.to);
            if (rise < NodeLine.FOREVER) {
                rises[count++] = (long) rise << 32 | at;
            }
        }
        Arrays.sort(rises, 0, count);
        for (var i = 0; i < count; i++) {
            var at = (int) rises[i];
            var has = window.room(at);
            room += shape.room(nodes.byPosition[at]).whole() - has;
            withRoom += has > 0 ? 0 : 1;
            if (room >= shape.tasks && withRoom >= shape.minNodes) {
                return (int) (rises[i] >>> 32);
            }
        }
        return NodeLine.FOREVER;
    }

    /// What the nodes offer to a shape from some time on for as long as it runs.
    private final class Window implements NodeChoice.Offers {
        private final Shape shape;
        private final int from;
        private final int to;
        private final int[] rooms = new int[nodes.size()];

        Window(Shape shape, int from) {
            this.shape = shape;
            this.from = from;
            to = Timeline.end(from, shape.seconds);
            Arrays.fill(rooms, -1);
        }

        @Override
        public int room(int position) {
            if (rooms[position] < 0) {
                rooms[position] =
                        timeline.line(position)
                                .room(shape.room(nodes.byPosition[position]), from, to);
            }
            return rooms[position];
        }

        @Override
        public long devicesForJob(int position, int wanted) {
            return timeline.line(position)
                    .devicesForJob(shape.room(nodes.byPosition[position]), wanted, from, to);
        }
    }
}
