package dev.spur.rest.slurm;

import dev.spur.api.v1.ChangeReservationRequest;
import dev.spur.api.v1.DeleteReservationRequest;
import dev.spur.api.v1.ListReservationsRequest;
import dev.spur.api.view.ReservationTable;
import dev.spur.model.ErrorCode;
import dev.spur.rest.http.Body;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.job.ReservationDescription;
import java.util.List;
import java.util.Map;

/// Reservations; v0.0.43 also makes and deletes them.
final class Reservations {
    private Reservations() {}

    static void addTo(Map<String, SlurmApi.Operation> operations) {
        operations.put("slurm_get_reservations", call -> list(call, List.of()));
        operations.put(
                "slurm_get_reservation",
                call -> list(call, List.of(call.request().value("reservation_name"))));
    }

    private static Reply list(SlurmCall call, List<String> names) {
        call.warnAboutUpdateTime();
        var request = ListReservationsRequest.newBuilder().addAllNames(names).build();
        var reply = call.client().call(controller -> controller.listReservations(request));
        if (!names.isEmpty() && reply.getReservationsCount() == 0) {
            throw Refusal.of(404, ErrorCode.INVALID_RESERVATION, "there is no such reservation");
        }
        return ClusterListing.list(
                call,
                "reservations",
                ReservationTable.RESERVATIONS,
                reply.getReservationsList(),
                reply.getNowMicros(),
                true);
    }

    /// One of `/reservation`, in v0.0.43.
    static Reply create(SlurmCall call) {
        return made(call, List.of(call.body()));
    }

    /// Several of `/reservations/`, in v0.0.43: what there is already is changed.
    static Reply createAll(SlurmCall call) {
        return made(call, call.body().objects("reservations"));
    }

    private static Reply made(SlurmCall call, List<Body> bodies) {
        var known =
                call.client()
                        .call(controller ->
                                controller.listReservations(
                                        ListReservationsRequest.getDefaultInstance()))
                        .getReservationsList();
        for (var i = 0; i < bodies.size(); i++) {
            var body = bodies.get(i);
            var name = body.text("name").orElse("");
            var request =
                    ChangeReservationRequest.newBuilder()
                            .setRequestId(call.requestId() + "-" + i)
                            .setName(name)
                            .putAllSettings(ReservationDescription.settings(body))
                            .setZone("UTC")
                            .build();
            var isKnown = known.stream().anyMatch(each -> each.getName().equals(name));
            call.client()
                    .call(controller ->
                            isKnown
                                    ? controller.updateReservation(request)
                                    : controller.createReservation(request));
        }
        return list(call, List.of());
    }

    static Reply delete(SlurmCall call) {
        var request =
                DeleteReservationRequest.newBuilder()
                        .setRequestId(call.requestId())
                        .setName(call.request().value("reservation_name"))
                        .build();
        call.client().call(controller -> controller.deleteReservation(request));
        return call.answer(_ -> {});
    }
}
