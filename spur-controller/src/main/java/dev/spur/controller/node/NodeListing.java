package dev.spur.controller.node;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.ListNodesReply;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.Node;
import dev.spur.controller.partition.PartitionListing;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.node.Usage;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.site.Partition;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.NodeGres;
import dev.spur.model.NodeShape;
import dev.spur.model.Tres;
import dev.spur.model.hostlist.Hostlist;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

public final class NodeListing {
    private final ReplicatedState state;
    private final NodeLoads loads;
    private final Function<Snapshot, Set<String>> planned;
    private final InstantSource clock;
    private volatile @Nullable Members members;

    /// @param planned the nodes that are kept free for jobs that wait
    public NodeListing(
            ReplicatedState state,
            NodeLoads loads,
            Function<Snapshot, Set<String>> planned,
            InstantSource clock) {
        this.planned = planned;
        this.state = state;
        this.loads = loads;
        this.clock = clock;
    }

    /// Names that nobody knows are left out: the asker sees which are missing.
    public ListNodesReply list(ListNodesRequest request) {
        var snapshot = state.snapshot();
        var names = hosts(request.getNamesList());
        var partitions = Set.copyOf(request.getPartitionsList());
        var memberships = memberships(snapshot);
        var standing = standing(snapshot);
        var planned = this.planned.apply(snapshot);
        var reply =
                ListNodesReply.newBuilder().setNowMicros(InstantMapper.toMicros(clock.instant()));
        for (var node : snapshot.nodes()) {
            var member = memberships.getOrDefault(node.index(), List.of());
            if ((names.isEmpty() || names.contains(node.name()))
                    && (partitions.isEmpty() || member.stream().anyMatch(partitions::contains))) {
                reply.addNodes(
                        noted(view(node, member), node, standing, planned.contains(node.name())));
            }
        }
        snapshot.partitions()
                .forEach(partition ->
                        reply.addPartitions(PartitionListing.view(partition, snapshot)));
        return reply.build();
    }

    private List<Reservation> standing(Snapshot snapshot) {
        var now = clock.instant();
        return snapshot.reservations().list().stream().filter(one -> one.isActive(now)).toList();
    }

    /// With what is kept for somebody: by a reservation, or by the plan.
    private static Node noted(
            Node view,
            dev.spur.engine.node.Node node,
            List<Reservation> standing,
            boolean isPlanned) {
        var flags = new ArrayList<String>();
        var names = new ArrayList<String>();
        for (var reservation : standing) {
            if (reservation.nodes().contains(node.index())) {
                names.add(reservation.name());
                var flag = reservation.has(ReservationFlag.MAINT) ? "MAINTENANCE" : "RESERVED";
                if (!flags.contains(flag)) {
                    flags.add(flag);
                }
            }
        }
        if (isPlanned && node.isSchedulable() && flags.isEmpty()) {
            flags.add("PLANNED");
        }
        return flags.isEmpty()
                ? view
                : view.toBuilder()
                        .addAllFlags(flags)
                        .setReservation(String.join(",", names))
                        .build();
    }

    private static Map<Integer, List<String>> memberships(Snapshot snapshot) {
        var memberships = new HashMap<Integer, List<String>>();
        for (var partition : snapshot.partitions()) {
            partition
                    .nodes()
                    .forEach(index ->
                            memberships
                                    .computeIfAbsent(index, _ -> new ArrayList<>())
                                    .add(partition.name()));
        }
        return memberships;
    }

    /// One of them. Which partitions it belongs to is worked out once for each configuration.
    public Node view(dev.spur.engine.node.Node node, Snapshot snapshot) {
        var known = members;
        if (known == null || known.of() != snapshot.partitions()) {
            known = new Members(snapshot.partitions(), memberships(snapshot));
            members = known;
        }
        return noted(
                view(node, known.byIndex().getOrDefault(node.index(), List.of())),
                node,
                standing(snapshot),
                false);
    }

    private record Members(List<Partition> of, Map<Integer, List<String>> byIndex) {}

    private Node view(dev.spur.engine.node.Node node, List<String> partitions) {
        var shape = node.shape();
        var view =
                Node.newBuilder()
                        .setName(node.name())
                        .setState(node.baseState())
                        .addAllFlags(node.flags())
                        .setReason(node.note().text())
                        .setReasonUser(node.note().user())
                        .setReasonUid(node.note().uid())
                        .setReasonMicros(InstantMapper.toMicros(node.note().at()))
                        .setCpus(shape.cpus())
                        .setBoards(Math.max(1, shape.boards()))
                        .setSockets(Math.max(1, shape.sockets()))
                        .setCoresPerSocket(Math.max(1, shape.coresPerSocket()))
                        .setThreadsPerCore(Math.max(1, shape.threadsPerCore()))
                        .setMemoryMb(Math.max(1, shape.memoryMebibytes()))
                        .setTmpMb(shape.tmpDiskMebibytes())
                        .setWeight(node.weight())
                        .addAllFeatures(node.features())
                        .addAllActiveFeatures(node.features())
                        .setGres(gres(shape.gres()))
                        .setGresUsed(gresUsed(shape.gres(), node.usage()))
                        .addAllPartitions(partitions)
                        .setAllocCpus(node.usage().cpus().size())
                        .setAllocMemMb(node.usage().memoryMebibytes())
                        .setLastBusyMicros(InstantMapper.toMicros(node.lastBusyAt()))
                        .setTres(tres(shape).toString())
                        .setTresAlloc(tresOf(node.usage()).toString())
                        .setComment(node.comment());
        setAddress(node.address(), view);
        var report = node.report();
        if (report != null) {
            view.setHostname(report.hostname())
                    .setBootMicros(InstantMapper.toMicros(report.bootedAt()))
                    .setAgentStartMicros(InstantMapper.toMicros(report.agentStartedAt()))
                    .setArch(report.architecture())
                    .setOs(report.operatingSystem())
                    .setVersion(report.version())
                    .putAllLabels(report.labels());
        }
        loads.of(node.name())
                .ifPresent(load ->
                        view.setLoadHundredths(load.loadHundredths())
                                .setFreeMemMb(load.freeMemoryMebibytes()));
        return view.build();
    }

    private static void setAddress(String address, Node.Builder view) {
        var colon = address.lastIndexOf(':');
        if (colon > 0
                && address.substring(colon + 1).chars().allMatch(Character::isDigit)
                && colon < address.length() - 1) {
            view.setAddress(address.substring(0, colon))
                    .setPort(Integer.parseInt(address.substring(colon + 1)));
        } else {
            view.setAddress(address);
        }
    }

    static String gres(List<NodeGres> all) {
        var texts =
                all.stream()
                        .map(gres ->
                                gres.name()
                                        + (gres.type().isEmpty() ? "" : ":" + gres.type())
                                        + ":"
                                        + gres.count())
                        .toList();
        return String.join(",", texts);
    }

    /// `gpu:tesla:2(IDX:0-1)`; `gpu:tesla:0(IDX:N/A)` while nothing is used.
    private static String gresUsed(List<NodeGres> all, Usage usage) {
        var texts = new ArrayList<String>();
        for (var gres : all) {
            var indices = usage.devices(gres);
            var kind = gres.name() + (gres.type().isEmpty() ? "" : ":" + gres.type());
            texts.add(
                    kind
                            + ":"
                            + indices.size()
                            + "(IDX:"
                            + (indices.isEmpty() ? "N/A" : indices)
                            + ")");
        }
        return String.join(",", texts);
    }

    public static Tres tres(NodeShape shape) {
        var others = new TreeMap<String, Long>();
        shape.gres().forEach(gres -> Tres.addGres(others, gres.name(), gres.type(), gres.count()));
        return new Tres(shape.cpus(), shape.memoryMebibytes(), 0, shape.cpus(), others);
    }

    private static Tres tresOf(Usage usage) {
        var others = new TreeMap<String, Long>();
        usage.gres().forEach(gres -> Tres.addGres(others, gres.name(), gres.type(), gres.count()));
        return new Tres(usage.cpus().size(), usage.memoryMebibytes(), 0, 0, others);
    }

    private static Set<String> hosts(List<String> lists) {
        var hosts = new HashSet<String>();
        hosts.addAll(Hostlist.parse(String.join(",", lists)).hosts());
        return hosts;
    }
}
