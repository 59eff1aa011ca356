package dev.spur.controller.access;

import dev.spur.api.port.Connections;
import dev.spur.controller.accounting.SpoolGuard;
import dev.spur.controller.raft.BusyException;
import dev.spur.controller.raft.Leadership;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.runtime.process.MemoryGuard;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.function.Supplier;

/// Lets a call in, or answers why not.
public final class AccessInterceptor implements ServerInterceptor {
    private final Authentication authentication;
    private final Supplier<Leadership> leadership;
    private final Supplier<String> trouble;
    private final MemoryGuard memory;
    private final Connections connections;
    private final DiskGuard disk;
    private final SpoolGuard spool;

    /// @param trouble why no controller leads, if none does
    public AccessInterceptor(
            Authentication authentication,
            Supplier<Leadership> leadership,
            Supplier<String> trouble,
            MemoryGuard memory,
            Connections connections,
            DiskGuard disk,
            SpoolGuard spool) {
        this.trouble = trouble;
        this.connections = connections;
        this.memory = memory;
        this.disk = disk;
        this.spool = spool;
        this.authentication = authentication;
        this.leadership = leadership;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        var method = call.getMethodDescriptor().getFullMethodName();
        Caller caller;
        try {
            caller = authentication.identify(call.getAttributes().get(PeerFilter.PEER), headers);
            authorise(method, caller);
            remember(call, caller);
            var role = leadership.get();
            if (!AccessRules.isAnsweredByAll(method) && !role.isLeading()) {
                throw refusal(role);
            }
            if (AccessRules.addsToState(method)) {
                disk.check();
            }
            if (AccessRules.addsJobs(method)) {
                spool.check();
            }
            if (AccessRules.addsToState(method) && !memory.hasRoom()) {
                throw new BusyException(
                        "the controller's memory is nearly full: it takes no more jobs until some have ended. "
                                + "Try again later, or tell your administrator");
            }
        } catch (RuntimeException e) {
            Failures.close(call, e);
            return new ServerCall.Listener<>() {};
        }
        return Contexts.interceptCall(
                Context.current().withValue(Caller.CURRENT, caller), call, headers, next);
    }

    private void remember(ServerCall<?, ?> call, Caller caller) {
        var from = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        if (from != null && caller instanceof Caller.Person person) {
            connections.isUsedBy(from, person.actor().uid());
        }
    }

    /// To the leader, or why there is none.
    private RuntimeException refusal(Leadership role) {
        var why = trouble.get();
        return why.isEmpty() ? role.refusal() : new SpurException(ErrorCode.NO_MAJORITY, why);
    }

    private static void authorise(String method, Caller caller) {
        if (AccessRules.of(method).isEmpty()) {
            throw new SpurException(ErrorCode.NOT_SUPPORTED, "this call is not known here");
        }
        if (AccessRules.admits(method, caller)) {
            return;
        }
        throw switch (caller) {
            case Caller.Stranger _ ->
                    new SpurException(
                            ErrorCode.UNKNOWN_TOKEN,
                            "say who you are: with a host certificate or a token (spur token create)");
            case Caller.RootOfHost(var peer, _) ->
                    new SpurException(
                            ErrorCode.ACCESS_DENIED,
                            "this host (%s, role %s) may not speak for root. Use a controller or admin host, or a token"
                                    .formatted(peer.host(), peer.role().word()));
            case Caller.Person _ when AccessRules.isForTheRightUser(method) ->
                    SpurErrors.of(ErrorCode.INVALID_USER);
            case Caller.Person _, Caller.Host _ -> SpurErrors.denied();
        };
    }
}
