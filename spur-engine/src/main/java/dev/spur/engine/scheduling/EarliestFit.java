package dev.spur.engine.scheduling;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// When and where jobs of a shape fit first.
///
/// A job that needs the same on each of a number of nodes can be planned node by node: every node
/// has times of its own at which the job could start on it. The search goes from one such time to
/// the next, until enough nodes agree on one; a [Frontier] remembers the first time of each.
///
/// Other jobs start now if their tasks fit anywhere together. If not, they are planned as if they
/// needed the same on as few nodes as can hold them; they start earlier if it turns out well. Where
/// that says nothing (devices counted over the job, nodes it must have among others), the search
/// jumps to the first time at which enough nodes may have gained enough room.
final class EarliestFit {
    /// Jumps after which a job is planned behind everything else instead.
    private static final int MOST_JUMPS = 200;

    private final Timeline timeline;
    private final Nodes nodes;
    private final Map<BitSet, Frontier> frontiers = new HashMap<>();

    EarliestFit(Timeline timeline, Nodes nodes) {
        this.timeline = timeline;
        this.nodes = nodes;
    }

    record Fit(int start, NodeChoice choice) {}

    /// As early as possible, but before `before`; null if that cannot be.
    @Nullable Fit find(Shape shape, int before) {
        var frontier = shape.frontier(this::frontier);
        if (!shape.isPlannedEvenly(frontier)) {
            return shape.earliest < before ? uneven(shape, before) : null;
        }
        if (!shape.isEven() && !shape.late) {
            var among = (BitSet) shape.among(nodes).clone();
            among.and(nodes.withCpus);
            var choice = NodeChoice.of(shape, among, new Window(shape, 0), nodes);
            if (choice != null) {
                return new Fit(0, choice);
            }
            shape.late = true;
        }
        return even(shape, frontier, before);
    }

    private Frontier frontier(BitSet candidates) {
        return frontiers.computeIfAbsent(
                candidates,
                some -> {
                    var among = (BitSet) some.clone();
                    among.and(nodes.inService);
                    return new Frontier(among, nodes.size());
                });
    }

    private @Nullable Fit even(Shape shape, Frontier frontier, int before) {
        var earliest = frontier.of(shape).earliestOn;
        if (shape.earliest >= before) {
            return null;
        }
        // Those that fit, by the last time at which they still do; and the others, by the first
        // time at which they may.
        var fitting = new TimeHeap(shape.planNodes);
        var coming = new TimeHeap(frontier.positions.length);
        for (var at : frontier.positions) {
            if (earliest[at] <= shape.earliest) {
                earliest[at] = earliest(shape, at, shape.earliest);
            }
            if (earliest[at] > shape.earliest) {
                coming.append(earliest[at], at);
            } else if (join(shape, fitting, at)) {
                return new Fit(shape.earliest, NodeChoice.even(shape, fitting, nodes));
            }
        }
        coming.order();
        while (!coming.isEmpty() && coming.time() < before) {
            var time = coming.time();
            var at = coming.position();
            earliest[at] = earliest(shape, at, time);
            if (earliest[at] > time) {
                coming.postpone(earliest[at]);
                continue;
            }
            coming.remove();
            shape.earliest = time;
            leave(shape, fitting, coming, earliest);
            if (join(shape, fitting, at)) {
                return new Fit(time, NodeChoice.even(shape, fitting, nodes));
            }
        }
        shape.earliest = before;
        return null;
    }

    private int earliest(Shape shape, int at, int from) {
        return timeline.line(at)
                .earliest(shape.need(nodes.byPosition[at]), from, (int) shape.seconds);
    }

    /// True if that is enough nodes.
    private boolean join(Shape shape, TimeHeap fitting, int at) {
        if (fitting.size() + 1 < shape.planNodes) {
            var need = shape.need(nodes.byPosition[at]);
            fitting.add(timeline.line(at).latest(need, shape.earliest, (int) shape.seconds), at);
            return false;
        }
        fitting.add(shape.earliest, at);
        return true;
    }

    /// Nodes that no longer fit wait for their next time.
    private void leave(Shape shape, TimeHeap fitting, TimeHeap coming, int[] earliest) {
        while (!fitting.isEmpty() && fitting.time() < shape.earliest) {
            var at = fitting.position();
            fitting.remove();
            earliest[at] = earliest(shape, at, shape.earliest);
            coming.add(earliest[at], at);
        }
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
            shape.late = true;
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
