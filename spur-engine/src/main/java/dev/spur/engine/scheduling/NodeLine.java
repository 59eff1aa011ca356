package dev.spur.engine.scheduling;

import dev.spur.engine.demand.TaskRoom;
import java.util.Arrays;

/// What of one node is free from now on: a step function over seconds from now. Only numbers: which
/// CPUs and devices exactly matters when a job starts, and [FreeNode] knows that.
final class NodeLine {
    /// Later than anything that is planned.
    static final int FOREVER = Integer.MAX_VALUE / 2;

    private final Effort effort;
    private final int kinds;
    private int size = 1;
    private int hint;
    private int[] starts = new int[4];
    private int[] cpus = new int[4];
    private long[] memory = new long[4];
    private long[] gres;

    /// What is free at every moment of the window asked for last.
    private int leastCpus;

    private long leastMemory;
    private final long[] leastGres;

    NodeLine(FreeNode now, Effort effort) {
        this.effort = effort;
        kinds = now.gres.length;
        cpus[0] = now.cpus;
        memory[0] = now.memory;
        gres = new long[4 * kinds];
        System.arraycopy(now.gres, 0, gres, 0, kinds);
        leastGres = new long[kinds];
    }

    /// Resources taken from a node.
    record Amount(int cpus, long memory, long[] gres) {}

    /// Gives back from some time on. Times must not decrease from call to call, and nothing may
    /// have been planned yet.
    void release(Amount amount, int from) {
        var last = size - 1;
        if (starts[last] != from) {
            insert(size, from);
            last++;
        }
        add(last, size, 1, amount);
    }

    void take(Amount amount, int from, int to) {
        change(from, to, -1, amount);
    }

    /// Undoes [#take].
    void giveBack(Amount amount, int from, int to) {
        change(from, to, 1, amount);
    }

    private void change(int from, int to, int sign, Amount amount) {
        var first = splitAt(from);
        var end = to >= FOREVER ? size : splitAt(to);
        add(first, end, sign, amount);
    }

    private void add(int first, int end, long sign, Amount amount) {
        for (var i = first; i < end; i++) {
            cpus[i] += (int) sign * amount.cpus;
            memory[i] += sign * amount.memory;
            for (var kind = 0; kind < kinds; kind++) {
                gres[i * kinds + kind] += sign * amount.gres[kind];
            }
        }
    }

    /// The segment that begins then; makes one begin then if none does.
    private int splitAt(int time) {
        var found = segmentAt(time);
        if (starts[found] == time) {
            return found;
        }
        insert(found + 1, time);
        return found + 1;
    }

    /// A segment that has what the one before it has.
    private void insert(int at, int time) {
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, 2 * size);
            cpus = Arrays.copyOf(cpus, 2 * size);
            memory = Arrays.copyOf(memory, 2 * size);
            gres = Arrays.copyOf(gres, 2 * size * kinds);
        }
        System.arraycopy(starts, at, starts, at + 1, size - at);
        System.arraycopy(cpus, at, cpus, at + 1, size - at);
        System.arraycopy(memory, at, memory, at + 1, size - at);
        System.arraycopy(gres, at * kinds, gres, (at + 1) * kinds, (size - at) * kinds);
        starts[at] = time;
        cpus[at] = cpus[at - 1];
        memory[at] = memory[at - 1];
        System.arraycopy(gres, (at - 1) * kinds, gres, at * kinds, kinds);
        size++;
    }

    private int segmentAt(int time) {
        if (starts[size - 1] <= time) {
            return size - 1;
        }
        // Searches of a pass ask for about the same time again and again.
        if (starts[hint] <= time && time < starts[hint + 1]) {
            return hint;
        }
        var found = Arrays.binarySearch(starts, 0, size, time);
        hint = found >= 0 ? found : -found - 2;
        return hint;
    }

    private int endOf(int segment) {
        return segment + 1 < size ? starts[segment + 1] : FOREVER;
    }

    /// The first time from `from` on at which so much is free for so long; [#FOREVER] if never.
    int earliest(TaskRoom.Need need, int from, int duration) {
        var start = from;
        var first = segmentAt(from);
        for (var i = first; i < size; i++) {
            if (!fits(need, i)) {
                start = endOf(i);
            } else if (endOf(i) - start >= duration) {
                effort.spend(i - first + 1);
                return start;
            }
        }
        effort.spend(size - first);
        return FOREVER;
    }

    /// Until when from now on so much is free.
    int freeUntil(Amount amount) {
        for (var i = 0; i < size; i++) {
            if (!has(amount, i)) {
                return starts[i];
            }
        }
        return FOREVER;
    }

    private boolean has(Amount amount, int segment) {
        effort.spend(1);
        if (cpus[segment] < amount.cpus || memory[segment] < amount.memory) {
            return false;
        }
        for (var kind = 0; kind < kinds; kind++) {
            if (gres[segment * kinds + kind] < amount.gres[kind]) {
                return false;
            }
        }
        return true;
    }

    private boolean fits(TaskRoom.Need need, int segment) {
        return cpus[segment] >= need.cpus()
                && memory[segment] >= need.memory()
                && need.room().hasDevices(need, gres, segment * kinds);
    }

    /// How many tasks have room all the time from `from` to `to`.
    int room(TaskRoom room, int from, int to) {
        look(from, to);
        return room.tasks(leastCpus, leastMemory, leastGres, 0);
    }

    long devicesForJob(TaskRoom room, int wanted, int from, int to) {
        look(from, to);
        return room.devicesForJob(wanted, leastCpus, leastMemory, leastGres, 0);
    }

    /// What so many tasks take in that time.
    Amount amount(TaskRoom room, int tasks, long[] ofJob, int from, int to) {
        look(from, to);
        var gpus = room.gpusAmong(ofJob);
        return new Amount(
                room.cpus(tasks, gpus),
                room.memory(tasks, gpus),
                room.take(tasks, ofJob, leastGres, 0));
    }

    /// When there may be room for more tasks than from `from` on: when the last segment with no
    /// more room than that is over. [#FOREVER] if never.
    int nextRise(TaskRoom room, int tasks, int from, int to) {
        var first = segmentAt(from);
        var rise = endOf(first);
        if (room.isSharedOut()) {
            return rise;
        }
        effort.spend(1);
        for (var i = first + 1; i < size && starts[i] < to; i++) {
            effort.spend(1);
            if (room.tasks(cpus[i], memory[i], gres, i * kinds) <= tasks) {
                rise = endOf(i);
            }
        }
        return rise;
    }

    /// When something changes next after a time; [#FOREVER] if nothing does.
    int nextChange(int time) {
        return endOf(segmentAt(time));
    }

    /// The last moment at which something changes.
    int lastChange() {
        return starts[size - 1];
    }

    /// What is free of a resource at every moment of the window looked at last.
    ///
    /// @param like the node's class
    long least(Levels levels, int resource, int like) {
        return levels.amount(resource, like, leastCpus, leastMemory, leastGres);
    }

    /// Finds out what is free at every moment of a window.
    void look(int from, int to) {
        var first = segmentAt(from);
        leastCpus = cpus[first];
        leastMemory = memory[first];
        System.arraycopy(gres, first * kinds, leastGres, 0, kinds);
        effort.spend(1);
        for (var i = first + 1; i < size && starts[i] < to; i++) {
            effort.spend(1);
            leastCpus = Math.min(leastCpus, cpus[i]);
            leastMemory = Math.min(leastMemory, memory[i]);
            for (var kind = 0; kind < kinds; kind++) {
                leastGres[kind] = Math.min(leastGres[kind], gres[i * kinds + kind]);
            }
        }
    }
}
