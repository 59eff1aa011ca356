package dev.spur.accounting.cluster;

import dev.spur.accounting.amount.Times;
import dev.spur.accounting.node.NodeEventRepository;
import dev.spur.api.v1.ClusterEvent;
import dev.spur.api.v1.ListEventsRequest;
import dev.spur.api.v1.TresView;
import dev.spur.model.hostlist.Hostlist;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/// `sacctmgr show event`: when nodes did not serve, and what the cluster had.
public final class EventListing {
    private final Jdbi jdbi;
    private final InstantSource clock;

    public EventListing(Jdbi jdbi, InstantSource clock) {
        this.jdbi = jdbi;
        this.clock = clock;
    }

    /// Those that a request asks for, cluster by cluster, the oldest first.
    public void each(ListEventsRequest request, Consumer<ClusterEvent> each) {
        var from = Times.asked(request.getFromMicros());
        var until =
                request.getUntilMicros() == 0
                        ? Times.at(clock.instant())
                        : Times.asked(request.getUntilMicros());
        jdbi.useTransaction(handle -> {
            var clusters = new ClusterRepository(handle);
            for (var cluster : clusters.all()) {
                if (request.getAllClusters()
                        || request.getClustersList().isEmpty()
                        || request.getClustersList().contains(cluster.name())) {
                    new OfCluster(handle, cluster, request, each).list(from, until);
                }
            }
        });
    }

    private static final class OfCluster {
        private final Handle handle;
        private final ClusterRepository.Cluster cluster;
        private final ListEventsRequest request;
        private final Consumer<ClusterEvent> each;
        private final List<TresView> registry;
        private final Set<String> nodes = new HashSet<>();

        OfCluster(
                Handle handle,
                ClusterRepository.Cluster cluster,
                ListEventsRequest request,
                Consumer<ClusterEvent> each) {
            this.handle = handle;
            this.cluster = cluster;
            this.request = request;
            this.each = each;
            this.registry = new ClusterRepository(handle).registry(cluster.id());
            if (request.getNodesCount() > 0) {
                Hostlist.forEach(String.join(",", request.getNodesList()), nodes::add);
            }
        }

        void list(OffsetDateTime from, OffsetDateTime until) {
            var kind = request.getKind().toLowerCase(Locale.ROOT);
            var onlyNodes =
                    !nodes.isEmpty()
                            || !request.getStatesList().isEmpty()
                            || !request.getReasonsList().isEmpty()
                            || !request.getUsersList().isEmpty();
            if (!kind.equals("node") && !onlyNodes) {
                new ClusterRepository(handle)
                        .capacities(cluster.id(), from, until).stream()
                                .filter(has ->
                                        !request.getOnlyOpen() || Times.micros(has.until()) == 0)
                                .forEach(this::tell);
            }
            if (!kind.equals("cluster")) {
                new NodeEventRepository(handle)
                        .between(
                                cluster.id(),
                                from,
                                until,
                                event -> {
                                    if (isAsked(event)) {
                                        tell(event);
                                    }
                                });
            }
        }

        private boolean isAsked(NodeEventRepository.NodeEvent event) {
            return (!request.getOnlyOpen() || Times.micros(event.until()) == 0)
                    && (nodes.isEmpty() || nodes.contains(event.node()))
                    && (request.getUsersList().isEmpty()
                            || request.getUsersList().contains(event.user()))
                    && (request.getReasonsList().isEmpty()
                            || request.getReasonsList().stream().anyMatch(event.reason()::contains))
                    && (request.getStatesList().isEmpty()
                            || request.getStatesList().stream()
                                    .anyMatch(state ->
                                            event.state()
                                                    .toUpperCase(Locale.ROOT)
                                                    .startsWith(state.toUpperCase(Locale.ROOT))));
        }

        private void tell(ClusterRepository.Capacity has) {
            each.accept(
                    ClusterEvent.newBuilder()
                            .setCluster(cluster.name())
                            .setNodes(has.nodes())
                            .setStartMicros(Times.micros(has.from()))
                            .setEndMicros(Times.micros(has.until()))
                            .setReason("Cluster Registered TRES")
                            .putAllTres(has.tres().map())
                            .addAllRegistry(registry)
                            .build());
        }

        private void tell(NodeEventRepository.NodeEvent event) {
            each.accept(
                    ClusterEvent.newBuilder()
                            .setCluster(cluster.name())
                            .setNode(event.node())
                            .setStartMicros(Times.micros(event.from()))
                            .setEndMicros(Times.micros(event.until()))
                            .setState(event.state())
                            .setReason(event.reason())
                            .setUser(event.user())
                            .putAllTres(event.tres().map())
                            .addAllRegistry(registry)
                            .build());
        }
    }
}
