package dev.spur.accounting.access;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.google.protobuf.Message;
import dev.spur.api.bounds.RequestBounds;
import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// Lets a call in, or answers why not: who it is, how many of his calls are under way, and how
/// large the request is.
public final class CallerInterceptor implements ServerInterceptor, AutoCloseable {
    /// The database has as many connections: one user does not take them all.
    private static final int CALLS_OF_ONE = 4;

    private static final int CALLS_OF_ALL = 64;

    /// Whoever has begun a call says what he asks for, or makes room: a request is one message.
    private static final Duration ASKS_WITHIN = Duration.ofSeconds(15);

    private final Duration asksWithin;
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().daemon().name("spurdbd-calls").factory());
    private final Identities identities;
    private final CallCounts counts;
    private final Map<Long, Integer> underWay = new ConcurrentHashMap<>();
    private final AtomicLong all = new AtomicLong();

    public CallerInterceptor(Identities identities, CallCounts counts) {
        this(identities, counts, ASKS_WITHIN);
    }

    CallerInterceptor(Identities identities, CallCounts counts, Duration asksWithin) {
        this.identities = identities;
        this.counts = counts;
        this.asksWithin = asksWithin;
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        try {
            var viewer = identities.identify(call.getAttributes().get(Peers.PEER), claim(headers));
            var counted = enter(call, viewer);
            return new Checking<>(
                    Contexts.interceptCall(
                            Context.current().withValue(Viewer.CURRENT, viewer),
                            counted,
                            headers,
                            next),
                    counted);
        } catch (RuntimeException e) {
            close(call, e);
            return new ServerCall.Listener<>() {};
        }
    }

    private static @org.jspecify.annotations.Nullable CallerIdentity claim(Metadata headers) {
        try {
            return CallerHeaders.read(headers).orElse(null);
        } catch (IllegalArgumentException e) {
            throw new SpurException(
                    ErrorCode.UNKNOWN_TOKEN, "the caller's identity cannot be read", e);
        }
    }

    private <Q, R> Counted<Q, R> enter(ServerCall<Q, R> call, Viewer viewer) {
        var mine = underWay.merge(viewer.uid(), 1, Integer::sum);
        if (mine > CALLS_OF_ONE) {
            leave(viewer);
            throw new SpurException(
                    ErrorCode.BUSY,
                    "spurdbd answers %d of your questions already. Try again when one of them is done"
                            .formatted(mine - 1));
        }
        if (all.incrementAndGet() > CALLS_OF_ALL) {
            all.decrementAndGet();
            leave(viewer);
            throw new SpurException(
                    ErrorCode.BUSY, "spurdbd answers many questions at the moment. Try again");
        }
        return new Counted<>(call, viewer);
    }

    private void leave(Viewer viewer) {
        underWay.computeIfPresent(viewer.uid(), (_, count) -> count == 1 ? null : count - 1);
    }

    private final class Counted<Q, R> extends SimpleForwardingServerCall<Q, R> {
        private final Viewer viewer;
        private final long began = System.nanoTime();
        private final AtomicBoolean ended = new AtomicBoolean();

        Counted(ServerCall<Q, R> call, Viewer viewer) {
            super(call);
            this.viewer = viewer;
        }

        void end() {
            if (ended.compareAndSet(false, true)) {
                all.decrementAndGet();
                leave(viewer);
                counts.count(
                        String.valueOf(getMethodDescriptor().getBareMethodName()),
                        viewer.user(),
                        (System.nanoTime() - began) / 1_000);
            }
        }

        @Override
        public void close(Status status, Metadata trailers) {
            end();
            super.close(status, trailers);
        }
    }

    private final class Checking<Q> extends SimpleForwardingServerCallListener<Q> {
        private final Counted<Q, ?> call;
        private final Future<?> impatience;

        /// Whether it was settled, by one of several threads, what becomes of the call.
        private final AtomicBoolean settled = new AtomicBoolean();

        Checking(ServerCall.Listener<Q> delegate, Counted<Q, ?> call) {
            super(delegate);
            this.call = call;
            this.impatience =
                    timer.schedule(this::asksNothing, asksWithin.toMillis(), MILLISECONDS);
        }

        private void asksNothing() {
            refuse(
                    new SpurException(
                            ErrorCode.BUSY,
                            "the call was begun, but nothing was asked for %d seconds"
                                    .formatted(asksWithin.toSeconds())));
        }

        private void refuse(RuntimeException why) {
            if (settled.compareAndSet(false, true)) {
                impatience.cancel(false);
                CallerInterceptor.close(call, why);
            }
        }

        @Override
        public void onMessage(Q message) {
            try {
                RequestBounds.require((Message) message);
            } catch (RuntimeException e) {
                refuse(e);
                return;
            }
            super.onMessage(message);
        }

        @Override
        public void onHalfClose() {
            if (settled.compareAndSet(false, true)) {
                impatience.cancel(false);
                super.onHalfClose();
            }
        }

        @Override
        public void onCancel() {
            settled.set(true);
            impatience.cancel(false);
            call.end();
            super.onCancel();
        }
    }

    private static void close(ServerCall<?, ?> call, RuntimeException why) {
        var status = Answers.toStatus(why);
        var trailers = status.getTrailers();
        call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
    }
}
