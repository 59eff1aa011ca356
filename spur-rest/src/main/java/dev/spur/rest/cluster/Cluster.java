package dev.spur.rest.cluster;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.client.HistoryClient;
import dev.spur.api.records.JobHistories;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.view.Surroundings;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.HostAndPort;
import dev.spur.rest.caller.Caller;
import dev.spur.rest.caller.TokenChecks;
import dev.spur.rest.http.Refusal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The controllers, asked in each caller's own name.
public final class Cluster {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int ACCOUNTING_PORT = 6819;

    private final Channels channels;
    private final List<HostAndPort> controllers;
    private volatile @Nullable String name;

    public Cluster(Channels channels, List<HostAndPort> controllers) {
        this.channels = channels;
        this.controllers = List.copyOf(controllers);
    }

    public ControllerClient as(Caller.Known caller) {
        return as(caller.identity());
    }

    private ControllerClient as(CallerIdentity identity) {
        return ControllerClient.withPatience(channels, controllers, identity, PATIENCE);
    }

    public PingReply ping(Caller.Known caller) {
        return as(caller).call(controller -> controller.ping(PingRequest.getDefaultInstance()));
    }

    /// Whose a token is.
    ///
    /// @throws Refusal if it is not good
    public TokenChecks.Owner owner(String token) {
        try {
            var you =
                    as(new CallerIdentity.Bearer(token))
                            .call(controller -> controller.ping(PingRequest.getDefaultInstance()))
                            .getYou();
            return new TokenChecks.Owner(you.getUser(), you.getRole().equals("admin"));
        } catch (ControllerException e) {
            if (e.kind() == ControllerException.Kind.REFUSED) {
                throw Refusal.stranger(
                        String.valueOf(e.getMessage()),
                        "Get a new token with: scontrol token, or spur token create");
            }
            throw e;
        }
    }

    /// The cluster's name, which does not change.
    public String name(Caller.Known caller) {
        var known = name;
        if (known == null) {
            known = ping(caller).getCluster();
            name = known;
        }
        return known;
    }

    public Surroundings surroundings(Caller.Known caller, long nowMicros) {
        return Surroundings.of(name(caller), nowMicros);
    }

    /// The keeper of the accounting.
    ///
    /// @throws Refusal if the cluster has none
    public HistoryClient history(Caller.Known caller) {
        try {
            return service(caller);
        } catch (JobHistories.NoAccountingException e) {
            throw new Refusal(
                    502,
                    7000,
                    "NO_ACCOUNTING",
                    "Unable to connect to database",
                    e.getMessage() + ": no spurdbd has come to the controller",
                    "Start spurdbd",
                    0);
        }
    }

    /// Jobs of the past and of the present.
    public JobHistories.Found histories(Caller.Known caller, RecordQuery query) {
        return JobHistories.find(as(caller), () -> service(caller), query);
    }

    private HistoryClient service(Caller.Known caller) {
        var address = ping(caller).getAccountingAddress();
        if (address.isEmpty()) {
            throw new JobHistories.NoAccountingException();
        }
        return as(caller).history(HostAndPort.parse(address, ACCOUNTING_PORT));
    }

    /// What a refusal of the controller is over HTTP.
    public static Refusal told(ControllerException e) {
        var because = String.valueOf(e.getMessage());
        return switch (e.kind()) {
            case BUSY -> Refusal.busy(because, 2);
            case UNREACHABLE ->
                    new Refusal(
                            503,
                            ErrorCode.NO_MAJORITY.slurmErrno(),
                            "UNREACHABLE",
                            ErrorCode.NO_MAJORITY.text(),
                            because,
                            "Ask again in a moment; scontrol ping says which controllers answer",
                            5);
            case OUTCOME_UNKNOWN ->
                    new Refusal(
                            504,
                            ErrorCode.OUTCOME_UNKNOWN.slurmErrno(),
                            ErrorCode.OUTCOME_UNKNOWN.name(),
                            ErrorCode.OUTCOME_UNKNOWN.text(),
                            because,
                            "Send it again with the same Idempotency-Key",
                            0);
            case REFUSED -> refused(e, because);
        };
    }

    private static Refusal refused(ControllerException e, String because) {
        var code = code(e.code());
        var text = code == null ? because : code.text();
        var errno = e.errno() != 0 ? e.errno() : ErrorCode.INVALID_REQUEST.slurmErrno();
        return new Refusal(
                status(code, e),
                errno,
                e.code().isEmpty() ? "REFUSED" : e.code(),
                text,
                because,
                "",
                0);
    }

    private static @Nullable ErrorCode code(String name) {
        for (var code : ErrorCode.values()) {
            if (code.name().equals(name)) {
                return code;
            }
        }
        return null;
    }

    private static int status(@Nullable ErrorCode code, ControllerException e) {
        return switch (code) {
            case null ->
                    switch (e.status()) {
                        case UNAUTHENTICATED -> 401;
                        case PERMISSION_DENIED -> 403;
                        case NOT_FOUND -> 404;
                        case RESOURCE_EXHAUSTED -> 429;
                        case INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE -> 422;
                        default -> 500;
                    };
            case UNKNOWN_TOKEN -> 401;
            case ACCESS_DENIED, INVALID_USER -> 403;
            case INVALID_JOB, INVALID_NODE -> 404;
            case CHANGED_MEANWHILE -> 409;
            case BUSY, TOO_MANY_JOBS -> 429;
            case INTERNAL -> 500;
            case DISK_FULL -> 507;
            default -> 422;
        };
    }
}
