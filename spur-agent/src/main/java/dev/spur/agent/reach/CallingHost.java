package dev.spur.agent.reach;

import dev.spur.runtime.identity.ConnectedPeer;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import org.jspecify.annotations.Nullable;

/// The host that a call comes from, as its certificate says. Read once for each connection.
public final class CallingHost implements ServerInterceptor {
    private static final Attributes.Key<String> NAME = Attributes.Key.create("spur-calling-host");
    private static final Context.Key<String> CURRENT = Context.key("calling-host");

    /// The host behind the current call; null where TLS is off.
    public static @Nullable String current() {
        return CURRENT.get();
    }

    /// Notes it with the connection.
    public static Attributes note(Attributes transport) {
        return ConnectedPeer.certified(transport.get(Grpc.TRANSPORT_ATTR_SSL_SESSION))
                .map(peer -> transport.toBuilder().set(NAME, peer.host()).build())
                .orElse(transport);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        var name = call.getAttributes().get(NAME);
        var context = name == null ? Context.current() : Context.current().withValue(CURRENT, name);
        return Contexts.interceptCall(context, call, headers, next);
    }
}
