package dev.spur.controller.access;

import dev.spur.controller.raft.BusyException;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/// Holds at most so many calls at once; the others are told to come back before anything suffers.
/// Streams that stay open, those of agents and watchers, have their own, larger number.
public final class OverloadInterceptor implements ServerInterceptor {
    private final Semaphore calls;
    private final Semaphore streams;

    public OverloadInterceptor(int calls, int streams) {
        this.calls = new Semaphore(calls);
        this.streams = new Semaphore(streams);
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        var permits = call.getMethodDescriptor().getType() == MethodType.UNARY ? calls : streams;
        if (!permits.tryAcquire()) {
            var busy = Failures.toStatus(new BusyException());
            var trailers = busy.getTrailers();
            call.close(busy.getStatus(), trailers == null ? new Metadata() : trailers);
            return new ServerCall.Listener<>() {};
        }
        return new Releasing<>(next.startCall(call, headers), permits);
    }

    private static final class Releasing<Q> extends SimpleForwardingServerCallListener<Q> {
        private final Semaphore permits;
        private final AtomicBoolean released = new AtomicBoolean();

        Releasing(ServerCall.Listener<Q> delegate, Semaphore permits) {
            super(delegate);
            this.permits = permits;
        }

        @Override
        public void onCancel() {
            release();
            super.onCancel();
        }

        @Override
        public void onComplete() {
            release();
            super.onComplete();
        }

        private void release() {
            if (released.compareAndSet(false, true)) {
                permits.release();
            }
        }
    }
}
