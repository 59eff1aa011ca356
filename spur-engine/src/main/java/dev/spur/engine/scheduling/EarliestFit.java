package dev.spur.engine.scheduling;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// When and where jobs of a shape fit first.
///
/// A job that needs the same on each of a number of nodes can be planned node by node
/// ([EvenSearch]). Other jobs start now if their tasks fit anywhere together. If not, they are
/// planned as if they needed the same on as few nodes as can hold them; they start earlier if it
/// turns out well. Where that says nothing (nodes it must have among others, few large nodes among
/// small ones), the search jumps to the first time at which enough nodes may have gained enough
/// room.
final class EarliestFit {
    /// Jumps after which a job is planned behind everything else instead.
    private static final int MOST_JUMPS = 200;

    private final Timeline timeline;
    private final Nodes nodes;
    private final EvenSearch even;
    private final Effort effort;

    private final Calendar calendar;

    EarliestFit(Timeline timeline, Nodes nodes, Calendar calendar, Effort effort) {
        this.calendar = calendar;
        this.timeline = timeline;
        this.nodes = nodes;
        this.effort = effort;
        even = new EvenSearch(timeline, nodes, calendar);
    }

    record Fit(int start, NodeChoice choice) {}

    /// As early as possible, but before `before`; null if that cannot be.
    @Nullable Fit find(Shape shape, int before) {
        var closures = calendar.of(shape);
        if (closures != null) {
            shape.earliest = Math.max(shape.earliest, closures.earliest);
        }
        if (shape.earliest >= before) {
            return null;
        }
        if (!shape.isPlannedEvenly(nodes)) {
            return uneven(shape, before);
        }
        if (shape.earliest == 0 && !shape.late && (!shape.isEven() || !shape.preferred.isEmpty())) {
            var among = (BitSet) shape.among(nodes).clone();
            among.and(nodes.withCpus);
            var choice = NodeChoice.preferred(shape, among, new Window(shape, 0), nodes);
            if (choice != null) {
                return new Fit(0, choice);
            }
            shape.late = true;
        }
        return even.find(shape, before);
    }

    /// Whether such a job could start now.
    boolean fitsNow(Shape shape) {
        var among = shape.among(nodes);
        return NodeChoice.preferred(shape, among, new Window(shape, 0), nodes) != null;
    }

    private @Nullable Fit uneven(Shape shape, int before) {
        var among = shape.among(nodes);
        var time = shape.earliest;
        for (var jump = 0; time < before; jump++) {
            shape.earliest = time;
            var window = new Window(shape, time);
            var choice = NodeChoice.preferred(shape, among, window, nodes);
            if (choice != null) {
                return new Fit(time, choice);
            }
            shape.late = true;
            if (before == 1 || jump > MOST_JUMPS || effort.isSpent()) {
                break;
            }
            time = jump < MOST_JUMPS ? next(shape, among, window) : last(shape, among);
        }
        shape.earliest = before;
        return null;
    }

    private int last(Shape shape, BitSet among) {
        var closures = calendar.of(shape);
        var last = closures == null ? 0 : closures.last;
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
            var opens = window.opens(at);
            var rise =
                    opens > window.from
                            ? opens
                            : timeline.line(at)
                                    .nextRise(
                                            shape.room(nodes.byPosition[at]),
                                            has,
                                            window.from,
                                            window.to);
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
        private final @Nullable Closures closures;
        private final int[] rooms = new int[nodes.size()];

        Window(Shape shape, int from) {
            this.shape = shape;
            this.from = from;
            closures = calendar.of(shape);
            to = Timeline.end(from, shape.seconds);
            Arrays.fill(rooms, -1);
        }

        /// When the node opens for as long as the job runs.
        int opens(int position) {
            return closures == null ? from : closures.open(position, from, shape.seconds);
        }

        @Override
        public int room(int position) {
            if (rooms[position] < 0) {
                rooms[position] =
                        opens(position) > from
                                ? 0
                                : timeline.line(position)
                                        .room(shape.room(nodes.byPosition[position]), from, to);
            }
            return rooms[position];
        }

        @Override
        public long devicesForJob(int position, int wanted) {
            return opens(position) > from
                    ? 0
                    : timeline.line(position)
                            .devicesForJob(
                                    shape.room(nodes.byPosition[position]), wanted, from, to);
        }
    }
}
