package dev.spur.engine.scheduling;

import dev.spur.engine.state.Demand;
import dev.spur.engine.state.Partition;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.PartitionState;
import dev.spur.model.PendingReason;
import dev.spur.model.Reason;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Jobs that ask for the same in the same partition for as long: what is true of one is true of
/// all, so a pass works it out once.
final class Shape {
    /// A job without a limit is planned for as long as this, as Slurm does: those behind a job that
    /// waits for it must not pass it forever.
    static final long UNLIMITED_SECONDS = Duration.ofDays(365).toSeconds();

    /// @param partition by its name
    record Key(Demand demand, String partition, TimeLimit limit) {}

    final Key key;
    final Demand demand;
    final @Nullable Partition partition;

    /// How long such a job runs at most.
    final long seconds;

    /// Nodes that would do if they were empty and in service.
    final BitSet candidates;

    /// Nodes that the job must have.
    final BitSet required;

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

    /// How many nodes are reserved for such a job, each with room for [#planTasks]; 0 if it cannot
    /// be said so simply.
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
        seconds =
                switch (key.limit()) {
                    case TimeLimit.Limited limited -> limited.duration().toSeconds();
                    case TimeLimit.Unlimited _ -> UNLIMITED_SECONDS;
                };
        var rules = partition == null ? null : partition.spec();
        minNodes = Math.max(demand.minNodes(), rules == null ? 0 : rules.minNodes());
        maxNodes =
                rules != null && rules.maxNodes() > 0
                        ? Math.min(demand.maxNodes(), rules.maxNodes())
                        : demand.maxNodes();
        tasks = Math.max(demand.tasks(), minNodes);
        rooms = new TaskRoom[nodes.classes.size()];
        candidates = new BitSet(nodes.size());
        required = new BitSet();
        if (partition != null) {
            fill(partition, nodes);
        }
        forbidden = forbidden(nodes);
        even = hasToBeEven();
        needs = new TaskRoom.Need[rooms.length];
        planNodes = forbidden == null ? planNodes() : 0;
        planTasks = planNodes == 0 ? 0 : (tasks + planNodes - 1) / planNodes;
        if (planNodes > 0) {
            fillPlan(nodes);
        }
    }

    /// As few nodes as can hold all tasks.
    private int planNodes() {
        if (even) {
            return minNodes;
        }
        var most = 0;
        for (var room : rooms) {
            most = Math.max(most, room == null ? 0 : room.whole());
        }
        if (most == 0 || !required.isEmpty() || !demand.gresPerJob().isEmpty()) {
            return 0;
        }
        var count = Math.max(minNodes, (tasks + most - 1) / most);
        return count <= maxNodes ? count : 0;
    }

    private void fillPlan(Nodes nodes) {
        for (var kind = 0; kind < rooms.length; kind++) {
            var room = rooms[kind];
            needs[kind] = room == null || room.whole() < planTasks ? null : room.need(planTasks);
        }
        planCandidates.or(required.isEmpty() ? candidates : required);
        for (var kind = 0; kind < rooms.length; kind++) {
            if (needs[kind] == null) {
                planCandidates.andNot(nodes.ofClass[kind]);
            }
        }
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
                && demand.gresPerJob().isEmpty()
                && (required.isEmpty() || required.cardinality() == minNodes);
    }

    private void fill(Partition in, Nodes nodes) {
        for (var kind = 0; kind < rooms.length; kind++) {
            var like = nodes.classes.get(kind);
            if (TaskRoom.suits(demand, like.shape(), like.features())) {
                var room = new TaskRoom(demand, like.shape(), in.spec().maxCpusPerNode());
                rooms[kind] = room.whole() > 0 ? room : null;
            }
        }
        for (var kind = 0; kind < rooms.length; kind++) {
            if (rooms[kind] != null) {
                candidates.or(nodes.ofClass[kind]);
            }
        }
        candidates.and(nodes.membersOf(in));
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
        if (!isPossible(candidates, nodes)) {
            return Reason.of(
                    demand.required().isEmpty()
                            ? PendingReason.PARTITION_CONFIG
                            : PendingReason.BAD_CONSTRAINTS);
        }
        return null;
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
        var supply = new Supply(minNodes, maxNodes, tasks);
        var devices = new long[demand.gresPerJob().size()];
        for (var kind = 0; kind < rooms.length; kind++) {
            var room = rooms[kind];
            if (room != null) {
                var like = (BitSet) nodes.ofClass[kind].clone();
                like.and(some);
                supply.add(room.whole(), like.cardinality());
                for (var wanted = 0; wanted < devices.length; wanted++) {
                    devices[wanted] += like.cardinality() * room.wholeDevicesForJob(wanted);
                }
            }
        }
        for (var wanted = 0; wanted < devices.length; wanted++) {
            if (devices[wanted] < demand.gresPerJob().get(wanted).count()) {
                return false;
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
