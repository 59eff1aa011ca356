package dev.spur.engine.scheduling;

import dev.spur.engine.scheduling.EarliestFit.Fit;
import org.jspecify.annotations.Nullable;

/// Finds the first time at which enough nodes have room for the same, for as long as a job runs.
///
/// It goes from slot to slot. The table says which nodes may be free from somewhere in a slot on,
/// or, if they are too few, in which slot to go on. Within a slot, no start is possible before as
/// many nodes as needed have had their first time, so the search goes to that time, asks from there
/// on those nodes that cannot wait so long, and so on until all agree.
final class EvenSearch {
    private final Timeline timeline;
    private final Nodes nodes;
    private final long[] candidates;

    /// The first time at which each node has room from where it was asked on, if [#askedIn] is the
    /// current search.
    private final int[] first;

    private final int[] askedIn;
    private final Calendar calendar;
    private @Nullable Closures closures;
    private int search;

    EvenSearch(Timeline timeline, Nodes nodes, Calendar calendar) {
        this.calendar = calendar;
        this.timeline = timeline;
        this.nodes = nodes;
        candidates = new long[timeline.table.words()];
        first = new int[nodes.size()];
        askedIn = new int[nodes.size()];
    }

    /// As early as possible, but before `before`; null if that cannot be. Either way the shape
    /// remembers how far the search came.
    @Nullable Fit find(Shape shape, int before) {
        search++;
        closures = calendar.of(shape);
        var table = timeline.table;
        var query = shape.query(table, nodes);
        var earliest = new EarliestNodes(shape.planNodes);
        var slot = Slots.at(shape.earliest);
        while (shape.earliest < before && slot < Slots.COUNT) {
            var end = Slots.at(Timeline.end(shape.earliest, shape.seconds));
            var goOn = table.search(query, slot, end, shape.planNodes, candidates);
            if (goOn == slot) {
                if (agree(shape, earliest, Math.min(before, Slots.end(slot)))) {
                    return new Fit(shape.earliest, NodeChoice.even(shape, earliest, nodes));
                }
                goOn++;
            }
            slot = goOn;
            shape.earliest = Slots.begin(slot);
        }
        shape.earliest = before;
        return null;
    }

    /// Whether enough candidates have room at a time before `limit`; the shape's earliest is that
    /// time.
    private boolean agree(Shape shape, EarliestNodes earliest, int limit) {
        while (true) {
            earliest.clear(limit);
            offer(shape, earliest);
            if (!earliest.isEnough()) {
                return false;
            }
            if (earliest.last() == shape.earliest) {
                return true;
            }
            shape.earliest = earliest.last();
        }
    }

    private void offer(Shape shape, EarliestNodes earliest) {
        for (var word = 0; word < candidates.length; word++) {
            for (var left = candidates[word]; left != 0; left &= left - 1) {
                var position = (word << 6) + Long.numberOfTrailingZeros(left);
                var time = first(shape, position);
                if (time < earliest.last()) {
                    earliest.offer(time, position);
                    if (earliest.isEnough() && earliest.last() == shape.earliest) {
                        return;
                    }
                }
            }
        }
    }

    private int first(Shape shape, int position) {
        if (askedIn[position] != search || first[position] < shape.earliest) {
            askedIn[position] = search;
            first[position] = firstOpen(shape, position);
        }
        return first[position];
    }

    /// The first time at which the node has room and is open, too.
    private int firstOpen(Shape shape, int position) {
        var line = timeline.line(position);
        var need = shape.need(nodes.byPosition[position]);
        var time = line.earliest(need, shape.earliest, shape.seconds);
        while (closures != null && time < NodeLine.FOREVER) {
            var open = closures.open(position, time, shape.seconds);
            if (open == time) {
                break;
            }
            time = open >= NodeLine.FOREVER ? open : line.earliest(need, open, shape.seconds);
        }
        return time;
    }
}
