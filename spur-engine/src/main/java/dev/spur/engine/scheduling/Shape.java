package dev.spur.engine.scheduling;

import dev.spur.engine.demand.Demand;
import dev.spur.engine.demand.NodeSupply;
import dev.spur.engine.demand.TaskRoom;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.site.Partition;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.PartitionState;
import dev.spur.model.PendingReason;
import dev.spur.model.Reason;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Jobs that ask for the same in the same partition for as long: what is true of one is true of
/// all, so a pass works it out once.
final class Shape {
    /// A job without a limit, or with a longer one, is planned for as long as this, as Slurm does:
    /// those behind a job that waits for it must not pass it forever.
    static final int UNLIMITED_SECONDS = Math.toIntExact(Duration.ofDays(365).toSeconds());

    /// @param partition by its name
    /// @param reservation by its name; empty: none
    record Key(Demand demand, String partition, TimeLimit limit, String reservation) {}

    final Key key;
    final Demand demand;
    final @Nullable Partition partition;
    final @Nullable Reservation reservation;

    /// For how long such a job is planned; without a limit, what is left of its reservation.
    int seconds;

    /// Nodes that would do if they were empty and in service.
    final BitSet candidates;

    /// Nodes that the job must have.
    final BitSet required;

    /// Of the candidates, those that it would rather have; empty if it does not care.
    final BitSet preferred = new BitSet();

    final int minNodes;
    final int maxNodes;
    final int tasks;

    /// Why such a job cannot start on any node; missing: nothing stands in the way.
    private final @Nullable Reason forbidden;

    private @Nullable Reason outOfService;
    private long services = -1;

    /// How many jobs of the queue have this shape.
    int jobs;

    /// Such a job cannot start before; within a pass this only grows.
    int earliest;

    /// Whether it was found that such a job cannot start now.
    boolean late;

    /// Why reservations keep such a job from starting now; missing: not found out, or they do not.
    @Nullable Reason kept;

    boolean keptIsKnown;

    /// How many nodes are reserved for such a job, each with room for the same part of it; 0 if it
    /// cannot be said so simply.
    final int planNodes;

    final int planTasks;

    /// Nodes that could be among those reserved.
    final BitSet planCandidates = new BitSet();

    private long pass;
    private @Nullable BitSet among;
    private SlotTable.@Nullable Query query;
    private @Nullable BitSet planAmong;
    private final boolean even;
    private final @Nullable TaskRoom[] rooms;
    private final TaskRoom.@Nullable Need[] needs;

    Shape(Key key, Snapshot snapshot, Nodes nodes) {
        this.key = key;
        demand = key.demand();
        partition = snapshot.partition(key.partition()).orElse(null);
        reservation = snapshot.reservations().find(key.reservation()).orElse(null);
        seconds = seconds(key.limit());
        var rules = partition == null ? null : partition.spec();
        minNodes = Math.max(demand.minNodes(), rules == null ? 0 : rules.minNodes());
        maxNodes =
                rules != null && rules.maxNodes() > 0
                        ? Math.min(demand.maxNodes(), rules.maxNodes())
                        : demand.maxNodes();
        tasks = demand.tasksOn(minNodes);
        rooms = new TaskRoom[nodes.classes.size()];
        candidates = new BitSet(nodes.size());
        required = new BitSet();
        if (partition != null) {
            fill(partition, nodes);
        }
        forbidden = forbidden(nodes);
        even = hasToBeEven();
        needs = new TaskRoom.Need[rooms.length];
        planNodes = forbidden == null ? planNodes(nodes) : 0;
        planTasks = planNodes == 0 ? 0 : partOf(tasksOn(planNodes), planNodes);
    }

    static int seconds(TimeLimit limit) {
        return switch (limit) {
            case TimeLimit.Limited limited ->
                    Math.clamp(limited.duration().toSeconds(), 1, UNLIMITED_SECONDS);
            case TimeLimit.Unlimited _ -> UNLIMITED_SECONDS;
        };
    }

    /// As few nodes as can hold the job, each an equal part of it.
    private int planNodes(Nodes nodes) {
        if (!required.isEmpty()) {
            var count = required.cardinality();
            return count >= minNodes && count <= maxNodes && fillPlan(count, nodes) ? count : 0;
        }
        var most = Math.min(maxNodes, candidates.cardinality());
        // What is needed of many nodes changes little from one number of them to the next.
        for (var count = leastPlanNodes(); count <= most; count += 1 + count / 16) {
            if (fillPlan(count, nodes)) {
                return count;
            }
        }
        return 0;
    }

    /// No fewer nodes can do, however empty.
    private int leastPlanNodes() {
        var tasksOfNode = 1;
        for (var room : rooms) {
            tasksOfNode = Math.max(tasksOfNode, room == null ? 0 : room.whole());
        }
        var least = Math.max(minNodes, partOf(tasks, tasksOfNode));
        for (var wanted = 0; wanted < demand.gresPerJob().size(); wanted++) {
            var ofNode = 1L;
            for (var room : rooms) {
                ofNode = Math.max(ofNode, room == null ? 0 : room.wholeDevicesForJob(wanted));
            }
            var count = demand.gresPerJob().get(wanted).count();
            least = Math.max(least, Math.clamp(partOf(count, ofNode), 1, Integer.MAX_VALUE));
        }
        return least;
    }

    /// Works out what each of so many nodes needs, and which could have it; false if too few.
    private boolean fillPlan(int count, Nodes nodes) {
        var ofJob = new long[demand.gresPerJob().size()];
        Arrays.setAll(ofJob, i -> partOf(demand.gresPerJob().get(i).count(), count));
        planCandidates.clear();
        planCandidates.or(required.isEmpty() ? candidates : required);
        for (var kind = 0; kind < rooms.length; kind++) {
            var room = rooms[kind];
            needs[kind] = room == null ? null : room.need(partOf(tasksOn(count), count), ofJob);
            if (needs[kind] == null) {
                planCandidates.andNot(nodes.ofClass[kind]);
            }
        }
        return planCandidates.cardinality() >= count;
    }

    /// How many tasks there are on so many nodes.
    int tasksOn(int count) {
        return Math.max(tasks, demand.tasksOn(count));
    }

    private static int partOf(int whole, int parts) {
        return (whole + parts - 1) / parts;
    }

    private static long partOf(long whole, long parts) {
        return (whole + parts - 1) / parts;
    }

    /// Whether [#planNodes] nodes with room for as many tasks each could ever be had, so that the
    /// shape can be planned node by node.
    boolean isPlannedEvenly(Nodes nodes) {
        return planNodes > 0 && planAmong(nodes).cardinality() >= planNodes;
    }

    private BitSet planAmong(Nodes nodes) {
        var some = planAmong;
        if (some == null) {
            some = (BitSet) planCandidates.clone();
            some.and(nodes.inService);
            planAmong = some;
        }
        return some;
    }

    /// What to ask the table for when it is planned node by node.
    SlotTable.Query query(SlotTable table, Nodes nodes) {
        var known = query;
        if (known == null) {
            known = table.query(this, planAmong(nodes));
            query = known;
        }
        return known;
    }

    /// Forgets what another pass found out.
    void enter(long number) {
        if (pass != number) {
            pass = number;
            earliest = 0;
            late = false;
            among = null;
            planAmong = null;
            query = null;
            kept = null;
            keptIsKnown = false;
        }
    }

    /// Whether this pass found that such a job cannot start now.
    boolean isLate(long number) {
        return pass == number && (late || even && earliest > 0);
    }

    /// The nodes to choose from in this pass.
    BitSet among(Nodes nodes) {
        var some = among;
        if (some == null) {
            some = (BitSet) candidates.clone();
            some.and(nodes.inService);
            among = some;
        }
        return some;
    }

    /// Why such a job cannot start whatever is free; missing: it can.
    @Nullable Reason obstacle(Nodes nodes) {
        if (forbidden != null) {
            return forbidden;
        }
        if (services != nodes.services) {
            services = nodes.services;
            among = null;
            outOfService = outOfService(nodes);
        }
        return outOfService;
    }

    TaskRoom room(FreeNode node) {
        var room = rooms[node.kind];
        if (room == null) {
            throw new IllegalStateException("node " + node.name() + " does not suit the demand");
        }
        return room;
    }

    /// What each node has to have if all have to have the same, as planned.
    TaskRoom.Need need(FreeNode node) {
        var need = needs[node.kind];
        if (need == null) {
            throw new IllegalStateException("node " + node.name() + " does not suit the demand");
        }
        return need;
    }

    /// As [#need] for the nodes of a class; missing if they do not suit.
    TaskRoom.@Nullable Need needOf(int like) {
        return needs[like];
    }

    /// Whether each of [#minNodes] nodes has to take the same; then a plan is all there is to look
    /// at.
    boolean isEven() {
        return even;
    }

    private boolean hasToBeEven() {
        return minNodes == maxNodes
                && tasks % minNodes == 0
                && (minNodes == 1 || tasks == minNodes || demand.tasksPerNode() == tasks / minNodes)
                && (minNodes == 1 || demand.gresPerJob().isEmpty())
                && (required.isEmpty() || required.cardinality() == minNodes);
    }

    private void fill(Partition in, Nodes nodes) {
        for (var kind = 0; kind < rooms.length; kind++) {
            var like = nodes.classes.get(kind);
            if (TaskRoom.suits(demand, like.shape(), like.features())) {
                var room = new TaskRoom(demand, like.shape(), in.spec().maxCpusPerNode());
                rooms[kind] = room.whole() >= demand.tasksOnEachNode() ? room : null;
            }
        }
        for (var kind = 0; kind < rooms.length; kind++) {
            if (rooms[kind] != null) {
                candidates.or(nodes.ofClass[kind]);
                if (demand.hosts().preferred().stream()
                        .anyMatch(nodes.classes.get(kind).features()::containsAll)) {
                    preferred.or(nodes.ofClass[kind]);
                }
            }
        }
        candidates.and(nodes.membersOf(in));
        if (reservation != null && reservation.isConfining()) {
            candidates.and(nodes.positions(reservation.nodes()));
        }
        for (var name : demand.excluded()) {
            var free = nodes.find(name);
            if (free != null) {
                candidates.clear(free.position);
            }
        }
        for (var name : demand.required()) {
            var free = nodes.find(name);
            if (free != null) {
                required.set(free.position);
            }
        }
    }

    private @Nullable Reason forbidden(Nodes nodes) {
        if (partition == null) {
            return Reason.of(PendingReason.PARTITION_DOWN);
        }
        var rules = partition.spec();
        if (!rules.state().startsJobs()) {
            return Reason.of(
                    rules.state() == PartitionState.INACTIVE
                            ? PendingReason.PARTITION_INACTIVE
                            : PendingReason.PARTITION_DOWN);
        }
        if (key.limit().compareTo(rules.maxTime()) > 0) {
            return Reason.of(PendingReason.PARTITION_TIME_LIMIT);
        }
        if (minNodes > maxNodes) {
            return Reason.of(PendingReason.PARTITION_NODE_LIMIT);
        }
        if (!key.reservation().isEmpty() && !isPossibleInReservation(nodes)) {
            return Reason.of(PendingReason.RESERVATION);
        }
        if (!isPossible(candidates, nodes)) {
            return Reason.of(
                    demand.required().isEmpty()
                            ? PendingReason.PARTITION_CONFIG
                            : PendingReason.BAD_CONSTRAINTS);
        }
        return null;
    }

    private boolean isPossibleInReservation(Nodes nodes) {
        return reservation != null
                && (!reservation.isTiming()
                        || !(key.limit() instanceof TimeLimit.Limited limited)
                        || limited.duration().compareTo(reservation.period().duration()) <= 0)
                && isPossible(candidates, nodes);
    }

    /// Enough nodes would do, but not enough of them are in service.
    private @Nullable Reason outOfService(Nodes nodes) {
        if (!required.isEmpty()) {
            var missing = new ArrayList<String>();
            for (var free : sortedByRank(nodes, required)) {
                if (!free.node.isSchedulable()) {
                    missing.add(free.name());
                }
            }
            if (!missing.isEmpty()) {
                return new Reason(
                        PendingReason.NODES_NOT_AVAILABLE,
                        ", UnavailableNodes:" + Hostlist.compress(missing));
            }
        }
        return isPossible(among(nodes), nodes) ? null : Reason.of(PendingReason.NODES_DOWN);
    }

    /// Whether these nodes would do if they were empty.
    private boolean isPossible(BitSet some, Nodes nodes) {
        var missing = (BitSet) required.clone();
        missing.andNot(some);
        if (!missing.isEmpty() || required.cardinality() < demand.required().size()) {
            return false;
        }
        var supply = new NodeSupply(demand, minNodes, maxNodes);
        for (var kind = 0; kind < rooms.length; kind++) {
            var room = rooms[kind];
            if (room != null) {
                var like = (BitSet) nodes.ofClass[kind].clone();
                like.and(some);
                supply.add(room, like.cardinality());
            }
        }
        return supply.suffices();
    }

    static List<FreeNode> sortedByRank(Nodes nodes, BitSet positions) {
        return positions.stream()
                .mapToObj(position -> nodes.byPosition[position])
                .sorted((one, other) -> Integer.compare(one.rank, other.rank))
                .toList();
    }
}
