package dev.spur.controller.access;

import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import dev.spur.api.port.Connections;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.controller.raft.BusyException;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Lets so many requests be answered at once, for each caller and in total; the others are told to
/// come back before anything suffers. Stands behind [AccessInterceptor]: whoever is nobody cannot
/// use up what belongs to others. See [Traffic].
public final class OverloadInterceptor implements ServerInterceptor {
    /// A script and an environment of 4 MiB each, and the rest of a request.
    private static final long LARGEST_MESSAGE = 9L << 20;

    private static final Set<String> LISTINGS =
            Set.of(
                    ControllerGrpc.getListJobsMethod().getFullMethodName(),
                    ControllerGrpc.getGetPlanMethod().getFullMethodName());

    private static final long SWEEP_EVERY_SECONDS = 1;
    private static final int MOST_STREAMS = 40_000;

    /// Of 64 KiB each: a quarter of the heap, at most 256 MiB.
    private static final int MOST_WORK =
            (int) Math.min(4_096, Runtime.getRuntime().maxMemory() / 4 / (64 << 10));

    /// What a listing may have in memory that is not read yet.
    private static final long LISTING = 256 << 10;

    private final Traffic traffic;
    private final Connections connections;

    OverloadInterceptor(Traffic traffic, Connections connections) {
        this.traffic = traffic;
        this.connections = connections;
    }

    public static OverloadInterceptor sweptBy(
            ScheduledExecutorService timer, InstantSource clock, Connections connections) {
        var traffic = new Traffic(MOST_WORK, MOST_STREAMS, clock);
        var _ =
                timer.scheduleWithFixedDelay(
                        traffic::sweep, SWEEP_EVERY_SECONDS, SWEEP_EVERY_SECONDS, TimeUnit.SECONDS);
        return new OverloadInterceptor(traffic, connections);
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        var closedOnce = new ClosedOnce<>(call);
        var payer = Payer.of(Caller.CURRENT.get());
        var type = call.getMethodDescriptor().getType();
        var ours = traffic.arrive(payer, cause -> drop(closedOnce, cause));
        closedOnce.isPaidBy(ours);
        // Messages that come as long as a stream is open: there is nothing to wait for.
        if (!type.clientSendsOneMessage() && !begin(ours, closedOnce, 0, true)) {
            return new ServerCall.Listener<>() {};
        }
        var count = ArrivingBytes.CURRENT.get();
        if (count != null) {
            count.tell(new Arriving(ours, closedOnce));
        }
        return new Watching<>(next.startCall(closedOnce, headers), ours, closedOnce, stays(call));
    }

    /// Listings end by themselves, the other streams when their callers like.
    private static boolean stays(ServerCall<?, ?> call) {
        var method = call.getMethodDescriptor();
        return method.getType() != MethodType.UNARY && !isListing(method);
    }

    private static boolean isListing(MethodDescriptor<?, ?> method) {
        return LISTINGS.contains(method.getFullMethodName());
    }

    /// An answer is out of our hands: only its connection can be ended, if it serves that caller
    /// alone.
    private void drop(ClosedOnce<?, ?> call, Traffic.Cause cause) {
        var from = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        switch (cause) {
            case SLOW, CROWDED -> Failures.close(call, told(cause));
            case UNREAD -> {
                if (from != null) {
                    connections.hangUp(from);
                }
            }
        }
    }

    private final class Arriving implements ArrivingBytes.Listener {
        private final Traffic.Call ours;
        private final ClosedOnce<?, ?> call;
        private long ofThisMessage;

        Arriving(Traffic.Call ours, ClosedOnce<?, ?> call) {
            this.ours = ours;
            this.call = call;
        }

        @Override
        public void came(long bytes) {
            traffic.received(ours, bytes);
            if (sum(bytes) > LARGEST_MESSAGE) {
                traffic.end(ours);
                Failures.close(
                        call,
                        new SpurException(
                                ErrorCode.TEXT_TOO_LONG,
                                "the request is larger than the %d MiB that a request may have. Put data into files"
                                        .formatted(LARGEST_MESSAGE >> 20)));
            }
        }

        @Override
        public synchronized void messageIsComplete() {
            ofThisMessage = 0;
        }

        private synchronized long sum(long bytes) {
            ofThisMessage += bytes;
            return ofThisMessage;
        }
    }

    private boolean begin(Traffic.Call ours, ClosedOnce<?, ?> call, long size, boolean stays) {
        return switch (traffic.begin(ours, size, stays)) {
            case YES -> true;
            case DROPPED -> false;
            case ACCOUNT_FULL -> {
                Failures.close(call, full(ours));
                yield false;
            }
            case CONTROLLER_FULL -> {
                Failures.close(call, new BusyException());
                yield false;
            }
        };
    }

    private static BusyException full(Traffic.Call call) {
        return new BusyException(
                "too many requests of %s are under way, try again when some are answered"
                        .formatted(call.payer().name()));
    }

    private static RuntimeException told(Traffic.Cause cause) {
        return switch (cause) {
            case SLOW ->
                    Status.DEADLINE_EXCEEDED
                            .withDescription(
                                    "the request did not arrive within %d s"
                                            .formatted(Traffic.ARRIVES_WITHIN.toSeconds()))
                            .asRuntimeException();
            case CROWDED, UNREAD ->
                    new BusyException("too many requests arrive at the same time, try again");
        };
    }

    /// A call that is dropped while it arrives may be refused for another reason at the same time.
    /// Its answer is on the account of whoever asked.
    private final class ClosedOnce<Q, R> extends SimpleForwardingServerCall<Q, R> {
        private final AtomicBoolean closed = new AtomicBoolean();
        private Traffic.@Nullable Call ours;

        ClosedOnce(ServerCall<Q, R> call) {
            super(call);
        }

        void isPaidBy(Traffic.Call paying) {
            ours = paying;
        }

        @Override
        public void sendMessage(R message) {
            var unary = getMethodDescriptor().getType() == MethodType.UNARY;
            var paying = ours;
            if (unary
                    && paying != null
                    && message instanceof MessageLite known
                    && !traffic.answer(paying, known.getSerializedSize())) {
                Failures.close(this, full(paying));
            } else if (!closed.get()) {
                super.sendMessage(message);
            }
        }

        @Override
        public void close(Status status, Metadata trailers) {
            if (closed.compareAndSet(false, true)) {
                super.close(status, trailers);
            }
        }
    }

    private final class Watching<Q> extends SimpleForwardingServerCallListener<Q> {
        private final Traffic.Call ours;
        private final ClosedOnce<Q, ?> call;
        private final boolean stays;
        private long size;

        Watching(
                ServerCall.Listener<Q> delegate,
                Traffic.Call ours,
                ClosedOnce<Q, ?> call,
                boolean stays) {
            super(delegate);
            this.ours = ours;
            this.call = call;
            this.stays = stays;
        }

        @Override
        public void onMessage(Q message) {
            if (message instanceof Message known) {
                size = Payer.weight(known) + (isListing(call.getMethodDescriptor()) ? LISTING : 0);
            }
            super.onMessage(message);
        }

        @Override
        public void onHalfClose() {
            var hasBegun = !call.getMethodDescriptor().getType().clientSendsOneMessage();
            if (hasBegun || begin(ours, call, size, stays)) {
                super.onHalfClose();
            }
        }

        @Override
        public void onCancel() {
            traffic.end(ours);
            super.onCancel();
        }

        @Override
        public void onComplete() {
            traffic.end(ours);
            super.onComplete();
        }
    }
}
