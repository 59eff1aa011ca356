package dev.spur.controller.access;

import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.NotLeaderException;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.function.Supplier;

/// Lets a call in, or answers why not.
public final class AccessInterceptor implements ServerInterceptor {
    private final Authentication authentication;
    private final Supplier<Leadership> leadership;

    public AccessInterceptor(Authentication authentication, Supplier<Leadership> leadership) {
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
            if (!AccessRules.isAnsweredByAll(method)
                    && leadership.get() instanceof Leadership.Following(var leader)) {
                throw new NotLeaderException(leader);
            }
        } catch (RuntimeException e) {
            var refusal = Failures.toStatus(e);
            var trailers = refusal.getTrailers();
            call.close(refusal.getStatus(), trailers == null ? new Metadata() : trailers);
            return new ServerCall.Listener<>() {};
        }
        return Contexts.interceptCall(
                Context.current().withValue(Caller.CURRENT, caller), call, headers, next);
    }

    private static void authorise(String method, Caller caller) {
        var rule =
                AccessRules.of(method)
                        .orElseThrow(() ->
                                new SpurException(
                                        ErrorCode.NOT_SUPPORTED, "this call is not known here"));
        if (rule.admits(caller)) {
            return;
        }
        throw switch (caller) {
            case Caller.Stranger _ ->
                    new SpurException(
                            ErrorCode.UNKNOWN_TOKEN,
                            "say who you are: with a host certificate or a token (spur token create)");
            case Caller.Person _, Caller.Host _ -> SpurErrors.denied();
        };
    }
}
