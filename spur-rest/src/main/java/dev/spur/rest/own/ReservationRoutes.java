package dev.spur.rest.own;

import dev.spur.api.v1.ChangeReservationRequest;
import dev.spur.api.v1.DeleteReservationRequest;
import dev.spur.api.v1.ListReservationsRequest;
import dev.spur.api.view.ReservationTable;
import dev.spur.model.ErrorCode;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.job.ReservationDescription;
import java.util.List;

/// Nodes that are kept for somebody.
final class ReservationRoutes {
    private static final String TAG = "Reservations";
    private static final String ONE = "/api/v1/reservations/{name}";

    private ReservationRoutes() {}

    static List<OwnRoute> all() {
        return List.of(
                OwnRoute.get("/api/v1/reservations", "listReservations")
                        .says(TAG, "The reservations.")
                        .lists("reservations", ReservationTable.RESERVATIONS)
                        .by(ReservationRoutes::list),
                OwnRoute.post("/api/v1/reservations", "createReservation")
                        .says(TAG, "Makes a reservation.")
                        .takes("ReservationDescription")
                        .answers(ReservationTable.RESERVATIONS)
                        .by(ReservationRoutes::create),
                OwnRoute.get(ONE, "getReservation")
                        .says(TAG, "One reservation.")
                        .answers(ReservationTable.RESERVATIONS)
                        .by(call -> get(call, call.request().value("name"))),
                OwnRoute.patch(ONE, "changeReservation")
                        .says(TAG, "Changes a reservation.")
                        .takes("ReservationDescription")
                        .answers(ReservationTable.RESERVATIONS)
                        .by(ReservationRoutes::change),
                OwnRoute.delete(ONE, "deleteReservation")
                        .says(TAG, "Takes a reservation back.")
                        .by(ReservationRoutes::delete));
    }

    private static Reply list(OwnCall call) {
        var reply =
                call.client()
                        .call(controller ->
                                controller.listReservations(
                                        ListReservationsRequest.getDefaultInstance()));
        return call.page(
                "reservations",
                ReservationTable.RESERVATIONS,
                reply.getReservationsList(),
                reply.getNowMicros());
    }

    private static Reply get(OwnCall call, String name) {
        var request = ListReservationsRequest.newBuilder().addNames(name).build();
        var reply = call.client().call(controller -> controller.listReservations(request));
        if (reply.getReservationsCount() != 1) {
            throw Refusal.of(404, ErrorCode.INVALID_RESERVATION, "there is no such reservation");
        }
        return call.one(
                ReservationTable.RESERVATIONS, reply.getReservations(0), reply.getNowMicros());
    }

    private static ChangeReservationRequest request(OwnCall call, String name) {
        return ChangeReservationRequest.newBuilder()
                .setRequestId(call.requestId())
                .setName(name)
                .putAllSettings(ReservationDescription.settings(call.body()))
                .setZone("UTC")
                .build();
    }

    private static Reply create(OwnCall call) {
        var request = request(call, call.body().text("name").orElse(""));
        var name =
                call.client().call(controller -> controller.createReservation(request)).getName();
        return get(call, name);
    }

    private static Reply change(OwnCall call) {
        var name = call.request().value("name");
        var request = request(call, name);
        call.client().call(controller -> controller.updateReservation(request));
        return get(call, name);
    }

    private static Reply delete(OwnCall call) {
        var request =
                DeleteReservationRequest.newBuilder()
                        .setRequestId(call.requestId())
                        .setName(call.request().value("name"))
                        .build();
        call.client().call(controller -> controller.deleteReservation(request));
        return Reply.empty(204);
    }
}
