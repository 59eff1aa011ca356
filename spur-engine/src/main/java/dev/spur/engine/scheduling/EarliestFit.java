package dev.spur.engine.scheduling;

import dev.spur.engine.state.Demand;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// When and where a demand fits first.
///
/// Each node tells when its room for a job of this duration changes. These changes are swept in the
/// order of time with a count of nodes by their room, until the count suffices. The cost follows
/// the number of changes, not the product of times and nodes.
final class EarliestFit {
    private final Demand demand;
    private final List<NodeTimeline> nodes;
    private final int duration;

    EarliestFit(Demand demand, List<NodeTimeline> nodes, int duration) {
        this.demand = demand;
        this.nodes = nodes;
        this.duration = duration;
    }

    record Fit(int start, NodeChoice.Chosen chosen) {}

    /// Now, or not at all.
    @Nullable Fit now() {
        return at(0);
    }

    @Nullable Fit at(int start) {
        var room = new int[nodes.size()];
        var supply = new Supply(demand);
        for (var i = 0; i < room.length; i++) {
            room[i] = nodes.get(i).room(demand, start, duration);
            supply.add(room[i]);
        }
        if (!supply.suffices()) {
            return null;
        }
        var chosen = new NodeChoice(demand, nodes, room).choose();
        return chosen == null ? null : new Fit(start, chosen);
    }

    /// At `from` or as soon as possible after.
    @Nullable Fit from(int from) {
        var changes = new Changes(nodes.size());
        for (var i = 0; i < nodes.size(); i++) {
            var node = i;
            nodes.get(i)
                    .rooms(demand, from, duration, (time, room) -> changes.add(time, node, room));
        }
        changes.sort();
        var supply = new Supply(demand);
        var room = new int[nodes.size()];
        var grew = false;
        for (var i = 0; i < changes.size; i++) {
            var node = changes.node(i);
            supply.remove(room[node]);
            grew |= changes.room(i) > room[node];
            room[node] = changes.room(i);
            supply.add(room[node]);
            var lastAtThisTime = i + 1 == changes.size || changes.time(i + 1) != changes.time(i);
            if (lastAtThisTime && grew) {
                grew = false;
                var chosen =
                        supply.suffices() ? new NodeChoice(demand, nodes, room).choose() : null;
                if (chosen != null) {
                    return new Fit(changes.time(i), chosen);
                }
            }
        }
        return null;
    }

    /// Time, node and room packed into one number, so that sorting is cheap and by time.
    private static final class Changes {
        private static final int NODE_BITS = 17;
        private static final int ROOM_BITS = 16;
        private static final int MOST_ROOM = (1 << ROOM_BITS) - 1;

        private long[] packed;
        private int size;

        Changes(int nodes) {
            packed = new long[Math.max(16, 2 * nodes)];
        }

        void add(int time, int node, int room) {
            if (size == packed.length) {
                packed = Arrays.copyOf(packed, 2 * size);
            }
            packed[size++] =
                    (long) time << (NODE_BITS + ROOM_BITS)
                            | (long) node << ROOM_BITS
                            | Math.min(room, MOST_ROOM);
        }

        void sort() {
            Arrays.sort(packed, 0, size);
        }

        int time(int i) {
            return (int) (packed[i] >>> (NODE_BITS + ROOM_BITS));
        }

        int node(int i) {
            return (int) (packed[i] >>> ROOM_BITS) & (1 << NODE_BITS) - 1;
        }

        int room(int i) {
            return (int) packed[i] & MOST_ROOM;
        }
    }
}
