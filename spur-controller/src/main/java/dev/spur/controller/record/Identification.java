package dev.spur.controller.record;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.IdentifyReply;
import dev.spur.api.v1.IdentifyRequest;
import dev.spur.controller.access.Authentication;
import dev.spur.controller.access.Caller;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobVisibility;
import dev.spur.model.SpurException;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.PeerHost;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/// Who somebody is that called spurdbd, by the same rules as if he had called here: the keys of
/// tokens, and what was revoked, are known to controllers only.
public final class Identification {
    private final Authentication authentication;
    private final Supplier<Snapshot> state;

    public Identification(Authentication authentication, Supplier<Snapshot> state) {
        this.authentication = authentication;
        this.state = state;
    }

    IdentifyReply identify(IdentifyRequest request) {
        var caller =
                request.getToken().isEmpty()
                        ? authentication.identify(host(request), CallerHeaders.of(vouched(request)))
                        : authentication.identify(
                                null,
                                CallerHeaders.of(new CallerIdentity.Bearer(request.getToken())));
        var person =
                switch (caller) {
                    case Caller.Person known -> known;
                    case Caller.RootOfHost(_, var reader) -> reader;
                    case Caller.Host _, Caller.Stranger _ ->
                            throw new SpurException(
                                    ErrorCode.UNKNOWN_TOKEN, "the request names no user");
                };
        return IdentifyReply.newBuilder()
                .setUid(person.actor().uid())
                .setUser(person.actor().userName())
                .setRole(person.actor().role().name().toLowerCase(Locale.ROOT))
                .addAllCoordinates(state.get().accounts().coordinatedBy(person.actor().userName()))
                .setSeesAllJobs(state.get().config().jobVisibility() == JobVisibility.FULL)
                .build();
    }

    private static CallerIdentity vouched(IdentifyRequest request) {
        return new CallerIdentity.Vouched(
                request.getUid(), request.getGid(), request.getUser(), List.of(request.getGid()));
    }

    private static PeerHost host(IdentifyRequest request) {
        var role =
                HostRole.of(request.getHostRole())
                        .orElseThrow(() ->
                                new SpurException(
                                        ErrorCode.INVALID_REQUEST,
                                        "\"%s\" is not a role of a host"
                                                .formatted(request.getHostRole())));
        return new PeerHost(request.getHost(), role, serial(request.getSerial()));
    }

    private static BigInteger serial(String text) {
        try {
            return new BigInteger(text);
        } catch (NumberFormatException e) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "\"%s\" is not the serial number of a certificate".formatted(text),
                    e);
        }
    }
}
