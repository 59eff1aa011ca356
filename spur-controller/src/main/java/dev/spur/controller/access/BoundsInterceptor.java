package dev.spur.controller.access;

import com.google.protobuf.Message;
import dev.spur.api.bounds.RequestBounds;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/// Refuses requests that are larger than anybody needs or that hold what cannot be shown, before a
/// feature sees them. Agents' streams pass: what they say was made by Spur.
public final class BoundsInterceptor implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        var listener = next.startCall(call, headers);
        return call.getMethodDescriptor().getType().clientSendsOneMessage()
                ? new Checking<>(listener, call)
                : listener;
    }

    private static final class Checking<Q> extends SimpleForwardingServerCallListener<Q> {
        private final ServerCall<Q, ?> call;
        private boolean refused;

        Checking(ServerCall.Listener<Q> delegate, ServerCall<Q, ?> call) {
            super(delegate);
            this.call = call;
        }

        @Override
        public void onMessage(Q message) {
            try {
                requireReadable();
                RequestBounds.require((Message) message);
            } catch (RuntimeException e) {
                refused = true;
                Failures.close(call, e);
                return;
            }
            super.onMessage(message);
        }

        private static void requireReadable() {
            var arrived = ArrivingBytes.CURRENT.get();
            var refusal = arrived == null ? null : arrived.refusal();
            if (refusal != null) {
                throw refusal;
            }
        }

        @Override
        public void onHalfClose() {
            if (!refused) {
                super.onHalfClose();
            }
        }
    }
}
