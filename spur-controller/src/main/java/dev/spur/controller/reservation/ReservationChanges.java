package dev.spur.controller.reservation;

import dev.spur.api.v1.ChangeReservationReply;
import dev.spur.api.v1.ChangeReservationRequest;
import dev.spur.api.v1.DeleteReservationRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.reservation.ReservationRequest;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.runtime.host.Users;

/// `scontrol create`, `update` and `delete reservation`.
public final class ReservationChanges {
    private final Proposals proposals;
    private final ReplicatedState state;

    public ReservationChanges(Proposals proposals, ReplicatedState state) {
        this.proposals = proposals;
        this.state = state;
    }

    public ChangeReservationReply create(ChangeReservationRequest request, Caller.Person caller) {
        var asked = parse(request);
        return answer(
                proposals.decide(at ->
                        new Command.CreateReservation(
                                at, request.getRequestId(), caller.actor(), asked)),
                request.getName());
    }

    public ChangeReservationReply update(ChangeReservationRequest request, Caller.Person caller) {
        var asked = parse(request);
        return answer(
                proposals.decide(at ->
                        new Command.UpdateReservation(
                                at, request.getRequestId(), caller.actor(), asked)),
                request.getName());
    }

    public ChangeReservationReply delete(DeleteReservationRequest request, Caller.Person caller) {
        return answer(
                proposals.decide(at ->
                        new Command.DeleteReservation(
                                at, request.getRequestId(), caller.actor(), request.getName())),
                request.getName());
    }

    /// Names are looked up here, and what was found goes into the command.
    private ReservationRequest parse(ChangeReservationRequest request) {
        var accounts = state.snapshot().accounts();
        return new ReservationKeys(
                        name ->
                                accounts.users().containsKey(name)
                                        || Users.byName(name).isPresent(),
                        name ->
                                accounts.accounts().containsKey(name)
                                        || !state.snapshot()
                                                .config()
                                                .rules()
                                                .accounting()
                                                .associations(),
                        Users::gid)
                .parse(request.getName(), request.getZone(), request.getSettingsMap());
    }

    private static ChangeReservationReply answer(Result result, String name) {
        return switch (result) {
            case Result.ReservationCreated(var given) ->
                    ChangeReservationReply.newBuilder().setName(given).build();
            case Result.Done _ -> ChangeReservationReply.newBuilder().setName(name).build();
            default -> throw SpurErrors.unexpected(result);
        };
    }
}
