package dev.spur.controller.reservation;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.ListReservationsReply;
import dev.spur.api.v1.ListReservationsRequest;
import dev.spur.api.v1.Reservation;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.node.Node;
import dev.spur.engine.reservation.Entrance;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.hostlist.Hostlist;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Objects;

/// Everybody may know when which nodes are kept, and for whom: jobs wait for it.
public final class ReservationListing {
    private final ReplicatedState state;
    private final InstantSource clock;

    public ReservationListing(ReplicatedState state, InstantSource clock) {
        this.state = state;
        this.clock = clock;
    }

    public ListReservationsReply list(ListReservationsRequest request) {
        var snapshot = state.snapshot();
        var now = clock.instant();
        var reply = ListReservationsReply.newBuilder().setNowMicros(InstantMapper.toMicros(now));
        for (var one : snapshot.reservations().list()) {
            if (request.getNamesCount() == 0 || request.getNamesList().contains(one.name())) {
                reply.addReservations(view(one, snapshot, now));
            }
        }
        return reply.build();
    }

    private static Reservation view(
            dev.spur.engine.reservation.Reservation one, Snapshot snapshot, Instant now) {
        var nodes =
                one.nodes().toList().stream()
                        .map(snapshot::nodeAt)
                        .filter(Objects::nonNull)
                        .toList();
        var cpus = nodes.stream().mapToInt(node -> node.shape().cpus()).sum();
        var cores =
                nodes.stream()
                        .mapToInt(node ->
                                node.shape().cpus() / Math.max(1, node.shape().threadsPerCore()))
                        .sum();
        var view =
                Reservation.newBuilder()
                        .setName(one.name())
                        .setNumber(one.number())
                        .setStartMicros(InstantMapper.toMicros(one.start()))
                        .setEndMicros(InstantMapper.toMicros(one.end()))
                        .setActive(one.isActive(now))
                        .setNodes(
                                new Hostlist(nodes.stream().map(Node::name).toList())
                                        .sorted()
                                        .toString())
                        .setNodeCount(nodes.size())
                        .setCoreCount(cores)
                        .setFeatures(one.extent().features())
                        .setPartition(one.extent().partition())
                        .setTres("cpu=" + cpus)
                        .addAllUsers(one.entrance().users())
                        .setUsersDenied(one.entrance().usersDenied())
                        .addAllAccounts(one.entrance().accounts())
                        .setAccountsDenied(one.entrance().accountsDenied())
                        .setZone(one.zone());
        one.entrance().groups().stream().map(Entrance.Group::name).forEach(view::addGroups);
        var flags = new ArrayList<String>();
        one.flags().forEach(flag -> flags.add(flag.name()));
        if (one.has(ReservationFlag.PURGE_COMP)) {
            view.setPurgeSeconds((int) one.purgeAfter().toSeconds());
        }
        return view.addAllFlags(flags).build();
    }
}
