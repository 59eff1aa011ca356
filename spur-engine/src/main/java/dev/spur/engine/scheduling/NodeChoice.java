package dev.spur.engine.scheduling;

import dev.spur.engine.layout.TaskLayout;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Which nodes a job gets: those it must have, then few rather than many unless it wants many, then
/// in the order in which nodes are filled.
///
/// @param positions in the order of the node list
/// @param tasks on each of them
/// @param ofJob on each of them, how many of each device wanted by the whole job
record NodeChoice(int[] positions, int[] tasks, long[][] ofJob) {

    private static final long[] NOTHING = {};

    /// What the nodes can give, now or during some time.
    interface Offers {
        /// How many tasks the node can take.
        int room(int position);

        /// How many of a device wanted by the whole job it can give.
        long devicesForJob(int position, int wanted);
    }

    /// The same on each of these nodes.
    static NodeChoice even(Shape shape, EarliestNodes fitting, Nodes nodes) {
        var picked = new int[fitting.size()];
        Arrays.setAll(picked, fitting::position);
        var positions = inListOrder(picked, picked.length, nodes);
        var room = new int[positions.length];
        Arrays.fill(room, shape.planTasks);
        var wanted = shape.demand.gresPerJob();
        var ofJob = new long[positions.length][wanted.size()];
        for (var i = 0; i < wanted.size(); i++) {
            var left = wanted.get(i).count();
            for (var node = 0; node < positions.length; node++) {
                var others = positions.length - node;
                ofJob[node][i] = (left + others - 1) / others;
                left -= ofJob[node][i];
            }
        }
        var tasks = TaskLayout.blocks(shape.tasksOn(positions.length), room);
        return new NodeChoice(positions, tasks, ofJob);
    }

    private static int[] inListOrder(int[] positions, int size, Nodes nodes) {
        if (size == 1) {
            return new int[] {positions[0]};
        }
        var order = new long[size];
        for (var i = 0; i < size; i++) {
            order[i] = (long) nodes.byPosition[positions[i]].rank << 32 | positions[i];
        }
        Arrays.sort(order);
        var sorted = new int[size];
        for (var i = 0; i < size; i++) {
            sorted[i] = (int) order[i];
        }
        return sorted;
    }

    /// On nodes that the job would rather have if they are enough, otherwise on any.
    ///
    /// @param among nodes to choose from
    static @Nullable NodeChoice preferred(Shape shape, BitSet among, Offers offers, Nodes nodes) {
        if (!shape.preferred.isEmpty()) {
            var some = (BitSet) shape.preferred.clone();
            some.or(shape.required);
            some.and(among);
            var choice = of(shape, some, offers, nodes);
            if (choice != null) {
                return choice;
            }
        }
        return of(shape, among, offers, nodes);
    }

    /// @param among nodes to choose from
    static @Nullable NodeChoice of(Shape shape, BitSet among, Offers offers, Nodes nodes) {
        return new Search(shape, among, offers, nodes).choose();
    }

    private static final class Search {
        private final Shape shape;
        private final BitSet among;
        private final Offers offers;
        private final Nodes nodes;
        private final int jobDevices;

        private int[] found = new int[16];
        private int[] rooms = new int[16];
        private int count;

        Search(Shape shape, BitSet among, Offers offers, Nodes nodes) {
            this.shape = shape;
            this.among = among;
            this.offers = offers;
            this.nodes = nodes;
            jobDevices = shape.demand.gresPerJob().size();
        }

        @Nullable NodeChoice choose() {
            if (!isWithin(shape.required, among)) {
                return null;
            }
            if (shape.minNodes == 1 && !shape.demand.widest()) {
                var single = single();
                if (single != null || shape.maxNodes == 1) {
                    return single;
                }
            }
            return collect() ? several() : null;
        }

        private static boolean isWithin(BitSet some, BitSet all) {
            if (some.isEmpty()) {
                return true;
            }
            var missing = (BitSet) some.clone();
            missing.andNot(all);
            return missing.isEmpty();
        }

        /// The first node that takes all of the job.
        private @Nullable NodeChoice single() {
            var from = shape.required.isEmpty() ? among : shape.required;
            if (shape.required.cardinality() > 1) {
                return null;
            }
            for (var at = from.nextSetBit(0); at >= 0; at = from.nextSetBit(at + 1)) {
                if (offers.room(at) >= shape.tasks && hasJobDevices(at)) {
                    var ofJob = new long[jobDevices];
                    for (var i = 0; i < jobDevices; i++) {
                        ofJob[i] = shape.demand.gresPerJob().get(i).count();
                    }
                    return new NodeChoice(
                            new int[] {at}, new int[] {shape.tasks}, new long[][] {ofJob});
                }
            }
            return null;
        }

        private boolean hasJobDevices(int position) {
            for (var i = 0; i < jobDevices; i++) {
                if (offers.devicesForJob(position, i) < shape.demand.gresPerJob().get(i).count()) {
                    return false;
                }
            }
            return true;
        }

        /// Gathers nodes with room, required ones first; false if there are too few.
        private boolean collect() {
            var exact = shape.minNodes == shape.maxNodes;
            var total = 0L;
            for (var at = shape.required.nextSetBit(0);
                    at >= 0;
                    at = shape.required.nextSetBit(at + 1)) {
                if (!add(at)) {
                    return false;
                }
                total += rooms[count - 1];
            }
            for (var at = among.nextSetBit(0); at >= 0; at = among.nextSetBit(at + 1)) {
                if (exact && count == shape.minNodes && isEnough(count)) {
                    return true;
                }
                if (!shape.required.get(at) && add(at)) {
                    total += rooms[count - 1];
                }
            }
            return count >= shape.minNodes && total >= shape.tasks;
        }

        private boolean add(int position) {
            var room = offers.room(position);
            if (room < shape.demand.tasksOnEachNode()) {
                return false;
            }
            if (count == found.length) {
                found = Arrays.copyOf(found, count * 2);
                rooms = Arrays.copyOf(rooms, count * 2);
            }
            found[count] = position;
            rooms[count++] = room;
            return true;
        }

        private @Nullable NodeChoice several() {
            var most = Math.min(shape.maxNodes, count);
            var least = Math.max(shape.minNodes, shape.required.cardinality());
            if (shape.demand.widest() && most >= least && isEnough(most)) {
                return chosen(most);
            }
            if (shape.minNodes == shape.maxNodes && isEnough(least)) {
                return chosen(least);
            }
            var fewest = shape.demand.widest() ? most : least;
            for (var wanted = 0; wanted < jobDevices; wanted++) {
                sort(devices(wanted));
                var size = enough(fewest, most);
                if (size > 0) {
                    return chosen(size);
                }
            }
            sort(rooms);
            var size = enough(fewest, most);
            return size > 0 ? chosen(size) : null;
        }

        private int[] devices(int wanted) {
            var devices = new int[count];
            for (var i = 0; i < count; i++) {
                devices[i] =
                        Math.clamp(offers.devicesForJob(found[i], wanted), 0, Integer.MAX_VALUE);
            }
            return devices;
        }

        /// Those with the most first, so that few are needed; required ones stay in front.
        private void sort(int[] has) {
            var from = shape.required.cardinality();
            var keys = new long[count - from];
            for (var i = from; i < count; i++) {
                keys[i - from] = (long) (Integer.MAX_VALUE - has[i]) << 32 | i;
            }
            Arrays.sort(keys);
            var oldFound = found.clone();
            var oldRooms = rooms.clone();
            for (var i = from; i < count; i++) {
                found[i] = oldFound[(int) keys[i - from]];
                rooms[i] = oldRooms[(int) keys[i - from]];
            }
        }

        /// Whether the first so many nodes hold all tasks and devices.
        private boolean isEnough(int size) {
            return enough(size, size) > 0;
        }

        /// How many nodes from the first on hold all tasks and devices; 0 if it would take more
        /// than `most`.
        private int enough(int least, int most) {
            var room = 0L;
            var missing = new long[jobDevices];
            for (var wanted = 0; wanted < jobDevices; wanted++) {
                missing[wanted] = shape.demand.gresPerJob().get(wanted).count();
            }
            for (var size = 1; size <= most; size++) {
                room += rooms[size - 1];
                var enough = size >= least && room >= shape.tasksOn(size);
                for (var wanted = 0; wanted < jobDevices; wanted++) {
                    missing[wanted] -= offers.devicesForJob(found[size - 1], wanted);
                    enough &= missing[wanted] <= 0;
                }
                if (enough) {
                    return size;
                }
            }
            return 0;
        }

        private NodeChoice chosen(int size) {
            var positions = inListOrder(found, size, nodes);
            var room = new int[size];
            for (var i = 0; i < size; i++) {
                room[i] = offers.room(positions[i]);
            }
            var tasks = TaskLayout.blocks(shape.tasksOn(size), room);
            return new NodeChoice(positions, tasks, deal(positions));
        }

        /// Deals the job's devices out evenly, then what is left to whoever has more.
        private long[][] deal(int[] positions) {
            var ofJob = new long[positions.length][];
            for (var i = 0; i < positions.length; i++) {
                ofJob[i] = jobDevices == 0 ? NOTHING : new long[jobDevices];
            }
            for (var wanted = 0; wanted < jobDevices; wanted++) {
                var left = shape.demand.gresPerJob().get(wanted).count();
                for (var i = 0; i < positions.length; i++) {
                    var others = positions.length - i;
                    var even = Math.max(1, (left + others - 1) / others);
                    ofJob[i][wanted] = Math.min(even, offers.devicesForJob(positions[i], wanted));
                    left -= ofJob[i][wanted];
                }
                for (var i = 0; i < positions.length && left > 0; i++) {
                    var more =
                            Math.min(
                                    left,
                                    offers.devicesForJob(positions[i], wanted) - ofJob[i][wanted]);
                    ofJob[i][wanted] += more;
                    left -= more;
                }
            }
            return ofJob;
        }
    }
}
