package dev.spur.api.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.regex.Pattern;

/// One try of a request: whether it may have reached a controller, and whether that matters.
final class Attempt implements ClientInterceptor {
    private static final Pattern QUESTIONS = Pattern.compile("(List|Get|Watch|Test|Ping).*");

    private volatile boolean left;
    private volatile boolean changes;

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
            MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        changes = !QUESTIONS.matcher(String.valueOf(method.getBareMethodName())).matches();
        return next.newCall(method, options.withStreamTracerFactory(new Leaving()));
    }

    /// Whether something may have been changed although nobody said so.
    boolean mayHaveChanged() {
        return left && changes;
    }

    private final class Leaving extends ClientStreamTracer.Factory {
        @Override
        public ClientStreamTracer newClientStreamTracer(
                ClientStreamTracer.StreamInfo info, Metadata headers) {
            // Until its headers are sent a call only waits for a connection.
            return new ClientStreamTracer() {
                @Override
                public void outboundHeaders() {
                    left = true;
                }
            };
        }
    }
}
