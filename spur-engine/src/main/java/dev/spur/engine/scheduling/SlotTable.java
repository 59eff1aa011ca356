package dev.spur.engine.scheduling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// For every slot and every level of a resource, the nodes that have so much at every moment of the
/// slot. That answers for all nodes at once which of them can be free for how long; what is between
/// two levels, or begins within a slot, [NodeLine] knows. So a node that is in the table may turn
/// out not to have room, but one that is not in it has none.
///
/// A few slots together are a block, with the nodes that are in all of them.
final class SlotTable {
    private static final int SLOTS_PER_BLOCK = 8;
    private static final int BLOCKS = (Slots.COUNT + SLOTS_PER_BLOCK - 1) / SLOTS_PER_BLOCK;

    private final Nodes nodes;
    private final Levels levels;
    private final Effort effort;

    /// 64 nodes each.
    private final int words;

    /// By level, word and slot: what changes does so for many slots of one node.
    private final long[] slots;

    /// By level, block and word: what is asked for is asked for of many nodes.
    private final long[] blocks;

    /// Whether any node ever had less than a level; if none had, nobody needs to ask for it.
    private final boolean[] isScarce;

    SlotTable(Nodes nodes, Levels levels, Effort effort) {
        this.nodes = nodes;
        this.levels = levels;
        this.effort = effort;
        words = (nodes.size() + Long.SIZE - 1) / Long.SIZE;
        slots = new long[levels.count() * words * Slots.COUNT];
        isScarce = new boolean[levels.count()];
        blocks = new long[levels.count() * words * BLOCKS];
        for (var level = 0; level < levels.count(); level++) {
            fill(level, wholeNodesWith(level));
        }
    }

    private long[] wholeNodesWith(int level) {
        var row = new BitSet(nodes.size());
        for (var like = 0; like < nodes.ofClass.length; like++) {
            if (levels.isReached(level, like, nodes.classes.get(like).shape())) {
                row.or(nodes.ofClass[like]);
            }
        }
        return Arrays.copyOf(row.toLongArray(), words);
    }

    private void fill(int level, long[] row) {
        for (var word = 0; word < words; word++) {
            var from = firstSlot(level, word);
            Arrays.fill(slots, from, from + Slots.COUNT, row[word]);
        }
        for (var block = 0; block < BLOCKS; block++) {
            System.arraycopy(row, 0, blocks, firstWord(level, block), words);
        }
    }

    private int firstSlot(int level, int word) {
        return (level * words + word) * Slots.COUNT;
    }

    private int firstWord(int level, int block) {
        return (level * BLOCKS + block) * words;
    }

    int words() {
        return words;
    }

    /// Takes over what a node has between two times.
    void update(int position, NodeLine line, int from, int to) {
        var end = Slots.at(to - 1) + 1;
        for (var slot = Slots.at(from); slot < end; ) {
            var begin = Slots.begin(slot);
            line.look(begin, Slots.end(slot));
            // Slots that end before the node's next change are all alike.
            var next = Math.clamp(Slots.at(line.nextChange(begin)), slot + 1, end);
            for (var resource = 0; resource < levels.resources(); resource++) {
                var has = line.least(levels, resource, nodes.byPosition[position].kind);
                update(position, resource, levels.reached(resource, has), slot, next);
            }
            slot = next;
        }
    }

    /// Levels are nested: below the one reached a node is in all of them, above it in none.
    private void update(int position, int resource, int reached, int from, int to) {
        effort.spend(1 + (to - from) / SLOTS_PER_BLOCK);
        var level = reached;
        while (level < levels.end(resource) && remove(position, level, from, to)) {
            level++;
        }
        level = reached - 1;
        while (level >= levels.first(resource) && add(position, level, from, to)) {
            level--;
        }
    }

    /// False if it was in none of these slots.
    private boolean remove(int position, int level, int from, int to) {
        var word = position >> 6;
        var bit = 1L << position;
        var first = firstSlot(level, word);
        var seen = 0L;
        for (var i = first + from; i < first + to; i++) {
            seen |= slots[i];
            slots[i] &= ~bit;
        }
        if ((seen & bit) == 0) {
            return false;
        }
        isScarce[level] = true;
        for (var block = from / SLOTS_PER_BLOCK; block <= (to - 1) / SLOTS_PER_BLOCK; block++) {
            blocks[firstWord(level, block) + word] &= ~bit;
        }
        return true;
    }

    /// False if it was in all of these slots.
    private boolean add(int position, int level, int from, int to) {
        var word = position >> 6;
        var bit = 1L << position;
        var first = firstSlot(level, word);
        var seen = -1L;
        for (var i = first + from; i < first + to; i++) {
            seen &= slots[i];
            slots[i] |= bit;
        }
        if ((seen & bit) != 0) {
            return false;
        }
        for (var block = from / SLOTS_PER_BLOCK; block <= (to - 1) / SLOTS_PER_BLOCK; block++) {
            var begin = block * SLOTS_PER_BLOCK;
            var end = Math.min(begin + SLOTS_PER_BLOCK, Slots.COUNT);
            blocks[firstWord(level, block) + word] = inAll(level, word, begin, end);
        }
        return true;
    }

    private long inAll(int level, int word, int from, int to) {
        var first = firstSlot(level, word);
        var all = -1L;
        for (var i = first + from; i < first + to; i++) {
            all &= slots[i];
        }
        return all;
    }

    /// What a shape asks of the table.
    ///
    /// @param among the nodes to choose from
    /// @param wishes what they must have
    record Query(long[] among, Wish[] wishes) {}

    /// @param except nodes that need not have that level; missing: all must
    private record Wish(int level, long @Nullable [] except) {}

    /// @param among each of them has room when it is empty
    Query query(Shape shape, BitSet among) {
        var wishes = new ArrayList<Wish>();
        for (var resource = 0; resource < levels.resources(); resource++) {
            var seen = new BitSet();
            for (var like = 0; like < nodes.ofClass.length; like++) {
                var need = shape.needOf(like);
                var level = need == null ? -1 : levels.reached(resource, need) - 1;
                if (level >= levels.first(resource)
                        && nodes.ofClass[like].intersects(among)
                        && !seen.get(level)) {
                    seen.set(level);
                    wishes.add(new Wish(level, without(resource, level, shape, among)));
                }
            }
        }
        return new Query(Arrays.copyOf(among.toLongArray(), words), wishes.toArray(Wish[]::new));
    }

    /// The nodes among which the shape asks for another level of the resource.
    private long @Nullable [] without(int resource, int level, Shape shape, BitSet among) {
        var others = (BitSet) among.clone();
        for (var like = 0; like < nodes.ofClass.length; like++) {
            var need = shape.needOf(like);
            if (need != null && levels.reached(resource, need) - 1 == level) {
                others.andNot(nodes.ofClass[like]);
            }
        }
        return others.isEmpty() ? null : Arrays.copyOf(others.toLongArray(), words);
    }

    /// Finds the nodes that may be free in all slots after `first` and before `end`. Looks
    /// backwards: as soon as there are too few, no start is possible before the slots looked at.
    ///
    /// @param found receives the nodes
    /// @return the slot in which to go on; `first` if there are enough
    int search(Query query, int first, int end, int enough, long[] found) {
        System.arraycopy(query.among, 0, found, 0, words);
        for (var to = end; to > first + 1; ) {
            var from = Math.max(first + 1, (to - 1) / SLOTS_PER_BLOCK * SLOTS_PER_BLOCK);
            if (to - from == SLOTS_PER_BLOCK) {
                narrowByBlock(query, from / SLOTS_PER_BLOCK, found);
            } else {
                narrowBySlots(query, from, to, found);
            }
            effort.spend((long) words * query.wishes.length);
            if (isFewer(found, enough)) {
                return from;
            }
            to = from;
        }
        return first;
    }

    private void narrowByBlock(Query query, int block, long[] found) {
        for (var wish : query.wishes) {
            if (isScarce[wish.level]) {
                var first = firstWord(wish.level, block);
                var except = wish.except;
                for (var word = 0; word < words; word++) {
                    found[word] &= blocks[first + word] | (except == null ? 0 : except[word]);
                }
            }
        }
    }

    private void narrowBySlots(Query query, int from, int to, long[] found) {
        for (var wish : query.wishes) {
            if (isScarce[wish.level]) {
                var except = wish.except;
                for (var word = 0; word < words; word++) {
                    if (found[word] != 0) {
                        found[word] &=
                                inAll(wish.level, word, from, to)
                                        | (except == null ? 0 : except[word]);
                    }
                }
            }
        }
    }

    private static boolean isFewer(long[] found, int enough) {
        var count = 0;
        for (var word : found) {
            count += Long.bitCount(word);
        }
        return count < enough;
    }
}
