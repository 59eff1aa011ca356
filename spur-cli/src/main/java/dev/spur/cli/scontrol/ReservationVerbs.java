package dev.spur.cli.scontrol;

import static dev.spur.cli.scontrol.Words.word;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.ChangeReservationRequest;
import dev.spur.api.v1.DeleteReservationRequest;
import dev.spur.api.v1.ListReservationsRequest;
import dev.spur.api.view.ReservationTable;
import dev.spur.cli.submission.Refused;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.BeginTime;
import dev.spur.model.notation.NotationException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// `scontrol create`, `update`, `delete` and `show reservation`.
final class ReservationVerbs {
    /// In the order in which Slurm looks for them.
    private static final Words<String> KEYS =
            new Words<>(
                    List.of(
                            word("accounts", 1, "Accounts"),
                            word("burstbuffer", 2, "BurstBuffer"),
                            word("comment", 3, "Comment"),
                            word("corecnt", 5, "CoreCnt"),
                            word("corecount", 5, "CoreCnt"),
                            word("duration", 1, "Duration"),
                            word("endtime", 1, "EndTime"),
                            word("features", 2, "Features"),
                            word("flags", 2, "Flags"),
                            word("groups", 1, "Groups"),
                            word("licenses", 1, "Licenses"),
                            word("maxstartdelay", 1, "MaxStartDelay"),
                            word("nodecnt", 5, "NodeCnt"),
                            word("nodecount", 5, "NodeCnt"),
                            word("nodes", 5, "Nodes"),
                            word("nodelist", 5, "Nodes"),
                            word("partitionname", 1, "PartitionName"),
                            word("starttime", 1, "StartTime"),
                            word("skip", 2, "Skip"),
                            word("trespernode", 5, "TRESPerNode"),
                            word("tres", 1, "TRES"),
                            word("users", 1, "Users"),
                            word("watts", 1, "Watts")));

    /// Times are written in the caller's zone, which only the caller's side knows.
    private static final Set<String> TIMES = Set.of("StartTime", "EndTime");

    private static final String NOTE =
            """

            Note, unless nodes are directly requested a reservation must exist in a single partition.
            If no partition is requested the default partition is assumed.\
            """;

    private ReservationVerbs() {}

    /// Says what is wrong with the words; empty if nothing is.
    private static Optional<String> fill(
            Session session, List<Pair> pairs, ChangeReservationRequest.Builder request) {
        for (var pair : pairs) {
            var sign = pair.key().endsWith("+") || pair.key().endsWith("-");
            var bare = sign ? pair.key().substring(0, pair.key().length() - 1) : pair.key();
            if (isName(bare)) {
                request.setName(pair.value());
                continue;
            }
            var key = KEYS.find(bare);
            if (key.isEmpty()) {
                return Optional.of("Unknown parameter %s".formatted(pair.key()));
            }
            var value = pair.value();
            if (TIMES.contains(key.get())) {
                try {
                    value =
                            BeginTime.parse(
                                            value,
                                            session.in().clock().instant(),
                                            session.in().zone())
                                    .toString();
                } catch (NotationException _) {
                    return Optional.of("Invalid %s %s".formatted(key.get(), value));
                }
            }
            request.putSettings(
                    key.get() + (sign ? pair.key().substring(pair.key().length() - 1) : ""), value);
        }
        return Optional.empty();
    }

    private static boolean isName(String key) {
        return key.length() >= 3 && "reservationname".startsWith(key.toLowerCase(Locale.ROOT));
    }

    static int create(Session session, List<Pair> pairs) {
        var request = request(session);
        var wrong = fill(session, pairs, request);
        if (wrong.isPresent()) {
            return session.fail(wrong.get() + ".  No reservation created.");
        }
        var settings = request.getSettingsMap();
        if (!settings.containsKey("StartTime")) {
            return session.fail("A start time must be given.  No reservation created.");
        }
        if (!settings.containsKey("EndTime") && !settings.containsKey("Duration")) {
            return session.fail("An end time or duration must be given.  No reservation created.");
        }
        if (Set.of("Users", "Accounts", "Groups").stream().noneMatch(settings::containsKey)) {
            return session.fail(
                    "Either Users/Groups and/or Accounts must be specified.  No reservation created.");
        }
        try {
            var reply =
                    session.controller()
                            .call(controller -> controller.createReservation(request.build()));
            session.out().println("Reservation created: " + reply.getName());
            return 0;
        } catch (ControllerException refusal) {
            var note =
                    Refused.is(refusal, ErrorCode.NODES_BUSY)
                                    && !settings.containsKey("PartitionName")
                            ? NOTE
                            : "";
            return session.fail(
                    "Error creating the reservation: "
                            + Refused.text(refusal)
                            + note
                            + why(refusal));
        }
    }

    static int update(Session session, List<Pair> pairs) {
        var request = request(session);
        var wrong = fill(session, pairs, request);
        if (wrong.isPresent()) {
            return session.fail(wrong.get() + ".  No reservation update.");
        }
        if (request.getName().isEmpty()) {
            return session.fail("Reservation must be given.  No reservation update.");
        }
        try {
            session.controller().call(controller -> controller.updateReservation(request.build()));
            session.out().println("Reservation updated.");
            return 0;
        } catch (ControllerException refusal) {
            return session.fail(
                    "Error updating the reservation: " + Refused.text(refusal) + why(refusal));
        }
    }

    static int delete(Session session, String word, String name) {
        var request =
                DeleteReservationRequest.newBuilder()
                        .setRequestId(session.in().newRequestId())
                        .setName(name)
                        .build();
        try {
            session.controller().call(controller -> controller.deleteReservation(request));
            return 0;
        } catch (ControllerException refusal) {
            return session.fail(
                    "delete_reservation %s: %s%s"
                            .formatted(word, Refused.text(refusal), why(refusal)));
        }
    }

    static int show(Session session, List<String> names) {
        var request = ListReservationsRequest.newBuilder().addAllNames(names).build();
        try {
            var reply =
                    session.controller().call(controller -> controller.listReservations(request));
            var document = session.document();
            if (document.isPresent() && (reply.getReservationsCount() > 0 || names.isEmpty())) {
                return session.list(
                        document.get(),
                        "reservations",
                        ReservationTable.RESERVATIONS,
                        reply.getReservationsList(),
                        reply.getNowMicros());
            }
            var view = session.view(reply.getNowMicros());
            reply.getReservationsList()
                    .forEach(one ->
                            session.out()
                                    .print(ReservationRecord.of(one, view, session.isOneLine())));
            if (reply.getReservationsCount() > 0) {
                return 0;
            }
        } catch (ControllerException refusal) {
            return session.fail("slurm_load_reservations error: " + Refused.text(refusal));
        }
        if (names.isEmpty()) {
            session.out().println("No reservations in the system");
            return 0;
        }
        return session.missing("Reservation %s not found".formatted(names.getFirst()));
    }

    private static ChangeReservationRequest.Builder request(Session session) {
        return ChangeReservationRequest.newBuilder()
                .setRequestId(session.in().newRequestId())
                .setZone(session.in().zone().getId());
    }

    /// What the controller has to say beside Slurm's words.
    static String why(ControllerException refusal) {
        var message = Refused.message(refusal);
        return message.isEmpty() || message.equals(Refused.text(refusal)) ? "" : "\n" + message;
    }
}
