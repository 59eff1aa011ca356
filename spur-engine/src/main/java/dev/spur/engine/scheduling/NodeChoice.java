package dev.spur.engine.scheduling;

import dev.spur.engine.layout.TaskLayout;
import dev.spur.engine.state.Demand;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which of the nodes with room a job takes.
///
/// Nodes of lower weight first; among those, the ones that are left with the least, so that large
/// gaps stay large. As few nodes as the demand allows, unless it asks for a range: then as many.
final class NodeChoice {
    private final Demand demand;
    private final List<NodeTimeline> nodes;
    private final int[] room;

    /// @param room tasks that each node can take, in the order of `nodes`
    NodeChoice(Demand demand, List<NodeTimeline> nodes, int[] room) {
        this.demand = demand;
        this.nodes = nodes;
        this.room = room;
    }

    /// @param nodes in node list order
    /// @param tasks for each of them
    record Chosen(List<NodeTimeline> nodes, int[] tasks) {}

    @Nullable Chosen choose() {
        if (demand.minNodes() == 1 && !demand.widest() && demand.required().isEmpty()) {
            var single = bestSingle();
            if (single >= 0) {
                return new Chosen(List.of(nodes.get(single)), new int[] {demand.tasks()});
            }
        }
        var roomiest = ordered(i -> Integer.MAX_VALUE - room[i], 1);
        var count = count(roomiest);
        if (count == 0) {
            return null;
        }
        var enough = (demand.tasks() + count - 1) / count;
        var tightest = ordered(this::leftover, enough);
        var chosen = Arrays.copyOf(holdsRequired(tightest, count) ? tightest : roomiest, count);
        Arrays.sort(chosen);
        return spread(chosen);
    }

    private int bestSingle() {
        var best = -1;
        for (var i = 0; i < room.length; i++) {
            if (room[i] >= demand.tasks() && (best < 0 || isBetter(i, best))) {
                best = i;
            }
        }
        return best;
    }

    private boolean isBetter(int one, int other) {
        var weights = Integer.compare(nodes.get(one).node.weight(), nodes.get(other).node.weight());
        return weights != 0 ? weights < 0 : leftover(one) < leftover(other);
    }

    /// What a node has free now: the fewer, the tighter the fit.
    private int leftover(int i) {
        return nodes.get(i).freeCpus.cardinality();
    }

    private interface Rank {
        int of(int node);
    }

    /// Nodes with at least that much room: required ones first, then by weight, then by rank.
    private int[] ordered(Rank rank, int least) {
        var usable = new Integer[room.length];
        var count = 0;
        for (var i = 0; i < room.length; i++) {
            if (room[i] >= least) {
                usable[count++] = i;
            }
        }
        var order = Arrays.copyOf(usable, count);
        var ranks = new long[room.length];
        for (var i : order) {
            var required = isRequired(i) ? 0L : 1L;
            ranks[i] = required << 62 | (long) nodes.get(i).node.weight() << 32 | rank.of(i);
        }
        Arrays.sort(order, (one, other) -> Long.compare(ranks[one], ranks[other]));
        return Arrays.stream(order).mapToInt(Integer::intValue).toArray();
    }

    private boolean isRequired(int i) {
        return !demand.required().isEmpty() && demand.required().contains(nodes.get(i).node.name());
    }

    private boolean holdsRequired(int[] order, int count) {
        if (order.length < count) {
            return false;
        }
        var required = 0;
        for (var i = 0; i < count; i++) {
            required += isRequired(order[i]) ? 1 : 0;
        }
        return required == demand.required().size();
    }

    /// How many nodes to take; 0 if it cannot be done.
    private int count(int[] roomiest) {
        if (roomiest.length < demand.minNodes()
                || !holdsRequired(roomiest, Math.min(roomiest.length, demand.maxNodes()))) {
            return 0;
        }
        var most = Math.min(roomiest.length, demand.maxNodes());
        var total = 0L;
        for (var count = 1; count <= most; count++) {
            total += room[roomiest[count - 1]];
            if (count >= demand.minNodes() && total >= demand.tasks()) {
                return demand.widest() ? most : count;
            }
        }
        return 0;
    }

    private Chosen spread(int[] chosen) {
        var rooms = Arrays.stream(chosen).map(i -> room[i]).toArray();
        var tasks =
                demand.balanced()
                        ? TaskLayout.balanced(demand.tasks(), rooms)
                        : TaskLayout.blocks(demand.tasks(), rooms);
        return new Chosen(Arrays.stream(chosen).mapToObj(nodes::get).toList(), tasks);
    }
}
