package dev.spur.testkit.simulated;

import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.reservation.ReservationRequest;
import dev.spur.engine.reservation.ReservationRequest.Names;
import dev.spur.engine.site.PartitionKey;
import dev.spur.engine.site.PartitionSetting;
import dev.spur.engine.state.Command;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What administrators make of reservations and partitions while jobs run, at random.
final class SiteChanges {
    private static final List<String> RESERVATIONS = List.of("first", "second", "third");
    private static final List<String> PARTITIONS = List.of("main", "other", "extra");
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(15);
    private static final Duration LONGEST_RESERVATION = Duration.ofMinutes(40);

    private final SimulatedCluster cluster;
    private final Random random;
    private final Supplier<String> requestId;

    /// @param requestId the next one of root
    SiteChanges(SimulatedCluster cluster, Supplier<String> requestId) {
        this.cluster = cluster;
        this.random = cluster.random();
        this.requestId = requestId;
    }

    void any() {
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> createReservation();
            case 3 -> updateReservation();
            case 4 -> deleteReservation(any(RESERVATIONS));
            case 5 -> createOrDeletePartition();
            case 6, 7 -> updatePartition(any(PARTITIONS), anySetting());
            default -> throw new IllegalStateException();
        }
    }

    String anyReservation() {
        return any(RESERVATIONS);
    }

    String anyPartition() {
        return any(PARTITIONS);
    }

    /// Nobody is kept from anything any more. What still has jobs stays, and is asked for again.
    void letGo() {
        var state = cluster.snapshot();
        state.reservations().list().forEach(one -> deleteReservation(one.name()));
        for (var partition : state.partitions()) {
            updatePartition(
                    partition.name(),
                    List.of(
                            new PartitionSetting(PartitionKey.STATE, "UP"),
                            new PartitionSetting(PartitionKey.MAX_TIME, "UNLIMITED"),
                            new PartitionSetting(PartitionKey.NODES, "ALL"),
                            new PartitionSetting(
                                    PartitionKey.DEFAULT,
                                    partition.name().equals("main") ? "YES" : "NO")));
        }
    }

    // ---- reservations ----

    private void createReservation() {
        var flags = new ArrayList<ReservationFlag>();
        for (var flag : ReservationFlag.values()) {
            var hasNodes =
                    flag == ReservationFlag.SPEC_NODES
                            || flag == ReservationFlag.ALL_NODES
                            || flag == ReservationFlag.PART_NODES;
            if (!hasNodes && random.nextInt(flag == ReservationFlag.IGNORE_JOBS ? 2 : 12) == 0) {
                flags.add(flag);
            }
        }
        var start =
                random.nextInt(3) == 0
                        ? null
                        : cluster.now().plus(cluster.between(Duration.ZERO, LONGEST_WAIT));
        var named =
                switch (random.nextInt(4)) {
                    case 0 -> Names.of("ALL");
                    case 1 -> Names.of("node1", "node3");
                    default -> null;
                };
        var request =
                reservation(
                        any(RESERVATIONS),
                        start,
                        anyDuration(),
                        named,
                        named == null ? 1 + random.nextInt(2) : null,
                        Names.of(random.nextBoolean() ? "alice" : "bob"),
                        flags);
        decide("creates " + request, (at, id) -> create(at, id, request));
    }

    private static Command create(Instant at, String id, ReservationRequest request) {
        return new Command.CreateReservation(at, id, Users.ROOT.actor(), request);
    }

    private void updateReservation() {
        var request =
                reservation(
                        any(RESERVATIONS),
                        null,
                        random.nextBoolean() ? anyDuration() : null,
                        null,
                        random.nextBoolean() ? 1 + random.nextInt(3) : null,
                        random.nextInt(3) == 0
                                ? new Names(ReservationRequest.Way.ADD, List.of("bob"), false)
                                : null,
                        List.of());
        decide(
                "updates " + request,
                (at, id) -> new Command.UpdateReservation(at, id, Users.ROOT.actor(), request));
    }

    private static ReservationRequest reservation(
            String name,
            @Nullable Instant start,
            @Nullable Duration duration,
            @Nullable Names nodes,
            @Nullable Integer count,
            @Nullable Names users,
            List<ReservationFlag> flags) {
        return new ReservationRequest(
                name, start, null, duration, "", nodes, count, null, null, users, null, null, flags,
                List.of(), null);
    }

    private void deleteReservation(String name) {
        decide(
                "deletes reservation " + name,
                (at, id) -> new Command.DeleteReservation(at, id, Users.ROOT.actor(), name));
    }

    private Duration anyDuration() {
        return cluster.between(Duration.ofMinutes(1), LONGEST_RESERVATION);
    }

    // ---- partitions ----

    private void createOrDeletePartition() {
        if (random.nextBoolean()) {
            var settings = List.of(new PartitionSetting(PartitionKey.NODES, anyNodes()));
            decide(
                    "creates partition extra",
                    (at, id) ->
                            new Command.CreatePartition(
                                    at, id, Users.ROOT.actor(), "extra", settings));
        } else {
            var name = random.nextInt(4) == 0 ? "other" : "extra";
            decide(
                    "deletes partition " + name,
                    (at, id) -> new Command.DeletePartition(at, id, Users.ROOT.actor(), name));
        }
    }

    private List<PartitionSetting> anySetting() {
        return List.of(
                switch (random.nextInt(6)) {
                    case 0 -> new PartitionSetting(PartitionKey.STATE, "DOWN");
                    case 1 -> new PartitionSetting(PartitionKey.STATE, "DRAIN");
                    case 2 -> new PartitionSetting(PartitionKey.STATE, "UP");
                    case 3 ->
                            new PartitionSetting(
                                    PartitionKey.MAX_TIME, "" + (5 + random.nextInt(30)));
                    case 4 -> new PartitionSetting(PartitionKey.NODES, anyNodes());
                    default -> new PartitionSetting(PartitionKey.DEFAULT, "YES");
                });
    }

    private String anyNodes() {
        var sign = List.of("", "+", "-").get(random.nextInt(3));
        return random.nextInt(3) == 0 ? "ALL" : sign + "node" + (1 + random.nextInt(3));
    }

    private void updatePartition(String name, List<PartitionSetting> settings) {
        decide(
                "updates partition %s: %s".formatted(name, settings),
                (at, id) ->
                        new Command.UpdatePartition(at, id, Users.ROOT.actor(), name, settings));
    }

    // ---- asking ----

    private void decide(String what, BiFunction<Instant, String, Command> command) {
        cluster.tell("root %s", what);
        var id = requestId.get();
        var _ = cluster.deciding(at -> command.apply(at, id));
    }

    private String any(List<String> names) {
        return names.get(random.nextInt(names.size()));
    }
}
