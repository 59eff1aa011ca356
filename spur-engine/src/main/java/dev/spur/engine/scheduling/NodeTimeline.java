package dev.spur.engine.scheduling;

import dev.spur.engine.state.Demand;
import dev.spur.engine.state.Node;
import dev.spur.model.NodeShape;
import dev.spur.model.NodeShare;
import java.util.Arrays;
import java.util.BitSet;

/// What of one node is free, from now on: a step function over seconds from now. Only numbers:
/// which CPUs and devices exactly matters when a job starts now, and for that the free ones of now
/// are kept.
final class NodeTimeline {
    /// Later than anything that is planned.
    static final int FOREVER = (1 << 30) - 1;

    final Node node;
    final NodeShape shape;
    final BitSet freeCpus;
    final BitSet[] freeDevices;

    private int size = 1;
    private int[] starts = {0};
    private int[] cpus;
    private long[] memory;
    private long[][] gres;

    NodeTimeline(Node node) {
        this.node = node;
        shape = node.shape();
        var usage = node.usage();
        freeCpus = new BitSet();
        freeCpus.set(0, shape.cpus());
        freeCpus.andNot(usage.cpus().toBitSet());
        freeDevices = new BitSet[shape.gres().size()];
        var counts = new long[freeDevices.length];
        for (var kind = 0; kind < counts.length; kind++) {
            var has = shape.gres().get(kind);
            counts[kind] = has.count() - usage.count(has.name(), has.type());
            freeDevices[kind] = new BitSet();
            if (!has.countOnly()) {
                freeDevices[kind].set(0, (int) has.count());
                freeDevices[kind].andNot(usage.devices(has.name(), has.type()).toBitSet());
            }
        }
        cpus = new int[] {freeCpus.cardinality()};
        memory = new long[] {shape.memoryMebibytes() - usage.memoryMebibytes()};
        gres = new long[][] {counts};
    }

    /// A running job gives its share back then.
    void release(NodeShare share, int from) {
        change(share, from, FOREVER, 1);
    }

    /// A job has the share for that time.
    void occupy(NodeShare share, int from, int to) {
        change(share, from, to, -1);
    }

    private void change(NodeShare share, int from, int to, int sign) {
        var counts = new long[freeDevices.length];
        for (var part : share.gres()) {
            for (var kind = 0; kind < counts.length; kind++) {
                var has = shape.gres().get(kind);
                if (has.name().equals(part.name()) && has.type().equals(part.type())) {
                    counts[kind] += part.count();
                }
            }
        }
        change(from, to, sign * share.cpus().size(), sign * share.memoryMebibytes(), counts, sign);
    }

    /// Reserves by number.
    void reserve(int from, int to, long cpuCount, long mebibytes, long[] devices) {
        change(from, to, (int) -cpuCount, -mebibytes, devices, -1);
    }

    private void change(
            int from, int to, int cpuChange, long memoryChange, long[] devices, int sign) {
        if (from >= FOREVER || from >= to) {
            return;
        }
        var first = splitAt(from);
        var end = to >= FOREVER ? size : splitAt(to);
        for (var i = first; i < end; i++) {
            cpus[i] += cpuChange;
            memory[i] += memoryChange;
            for (var kind = 0; kind < devices.length; kind++) {
                gres[i][kind] += sign * devices[kind];
            }
        }
    }

    /// The position of the segment that begins then; makes it begin then if none does.
    private int splitAt(int time) {
        var found = Arrays.binarySearch(starts, 0, size, time);
        if (found >= 0) {
            return found;
        }
        var at = -found - 1;
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, 2 * size);
            cpus = Arrays.copyOf(cpus, 2 * size);
            memory = Arrays.copyOf(memory, 2 * size);
            gres = Arrays.copyOf(gres, 2 * size);
        }
        System.arraycopy(starts, at, starts, at + 1, size - at);
        System.arraycopy(cpus, at, cpus, at + 1, size - at);
        System.arraycopy(memory, at, memory, at + 1, size - at);
        System.arraycopy(gres, at, gres, at + 1, size - at);
        starts[at] = time;
        cpus[at] = cpus[at - 1];
        memory[at] = memory[at - 1];
        gres[at] = gres[at - 1].clone();
        size++;
        return at;
    }

    /// How many tasks have room from `from` on for `duration`.
    int room(Demand demand, int from, int duration) {
        var end = end(from, duration);
        var room = Integer.MAX_VALUE;
        for (var i = segmentAt(from); i < size && starts[i] < end && room > 0; i++) {
            room = Math.min(room, room(demand, i));
        }
        return room;
    }

    private int room(Demand demand, int segment) {
        return TaskRoom.tasks(demand, shape, cpus[segment], memory[segment], gres[segment]);
    }

    private int segmentAt(int time) {
        var found = Arrays.binarySearch(starts, 0, size, time);
        return found >= 0 ? found : -found - 2;
    }

    static int end(int from, int duration) {
        return duration >= FOREVER - from ? FOREVER : from + duration;
    }

    /// Tells every time, from `from` on, at which the room for a job of that duration changes.
    void rooms(Demand demand, int from, int duration, RoomChange change) {
        var first = segmentAt(from);
        var rooms = new int[size - first];
        for (var i = first; i < size; i++) {
            rooms[i - first] = room(demand, i);
        }
        var last = -1;
        // The room changes only where the window's first or last moment crosses into another
        // segment.
        var heads = first + 1;
        var tails = first;
        var time = from;
        while (true) {
            var room = least(rooms, first, time, end(time, duration));
            if (room != last) {
                change.at(time, room);
                last = room;
            }
            while (heads < size && starts[heads] <= time) {
                heads++;
            }
            while (tails < size && (duration >= FOREVER || starts[tails] - duration < time)) {
                tails++;
            }
            var nextHead = heads < size ? starts[heads] : FOREVER;
            // A segment joins the window one second after the window's end reached its start.
            var nextTail =
                    tails < size && duration < FOREVER ? starts[tails] - duration + 1 : FOREVER;
            var next = Math.min(nextHead, nextTail);
            if (next >= FOREVER) {
                return;
            }
            if (next == nextTail) {
                tails++;
            }
            time = Math.max(next, time + 1);
        }
    }

    private int least(int[] rooms, int first, int from, int end) {
        var least = Integer.MAX_VALUE;
        for (var i = Math.max(segmentAt(from), first);
                i < size && starts[i] < end && least > 0;
                i++) {
            least = Math.min(least, rooms[i - first]);
        }
        return least;
    }

    interface RoomChange {
        void at(int time, int room);
    }
}
