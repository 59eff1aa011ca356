package dev.spur.accounting.access;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.ControllerException;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.model.notation.NotationException;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How calls are answered: with what some work gives, at the pace at which the caller reads, or
/// with why it failed.
public final class Answers {
    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    private Answers() {}

    /// One answer.
    public static <R> void one(StreamObserver<R> reply, Supplier<R> work) {
        R result;
        try {
            result = work.get();
        } catch (RuntimeException e) {
            reply.onError(toStatus(e));
            return;
        }
        reply.onNext(result);
        reply.onCompleted();
    }

    /// Many answers. Each waits until the caller has read enough of those before: who does not read
    /// holds no more than one of them in memory.
    public static <R> void many(StreamObserver<R> reply, Consumer<Consumer<R>> work) {
        var call = (ServerCallStreamObserver<R>) reply;
        var pace = new Pace(call);
        // On a thread of its own: that of the call has to hear that there is room again, or nobody
        // listens any more.
        Thread.startVirtualThread(() -> send(call, pace, work));
    }

    private static <R> void send(
            ServerCallStreamObserver<R> call, Pace pace, Consumer<Consumer<R>> work) {
        try {
            work.accept(answer -> {
                pace.await();
                call.onNext(answer);
            });
        } catch (CancellationException _) {
            return; // nobody listens
        } catch (RuntimeException e) {
            call.onError(toStatus(e));
            return;
        }
        call.onCompleted();
    }

    /// A caller holds a connection to the database while he reads: no longer than this without
    /// reading on, and not much longer altogether.
    private static final class Pace {
        private static final long READ_ON_WITHIN = TimeUnit.SECONDS.toNanos(30);
        private static final long READ_ALL_WITHIN = TimeUnit.MINUTES.toNanos(10);

        private long waited;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final ServerCallStreamObserver<?> call;

        Pace(ServerCallStreamObserver<?> call) {
            this.call = call;
            call.setOnReadyHandler(this::wake);
            call.setOnCancelHandler(this::wake);
        }

        private void wake() {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void await() {
            lock.lock();
            var began = System.nanoTime();
            try {
                while (!call.isReady()) {
                    if (call.isCancelled()) {
                        throw new CancellationException("the caller is gone");
                    }
                    var now = System.nanoTime() - began;
                    if (now > READ_ON_WITHIN || waited + now > READ_ALL_WITHIN) {
                        throw new SpurException(
                                ErrorCode.BUSY,
                                "the answer was not read for too long. Ask again, for less at once");
                    }
                    changed.awaitNanos(1_000_000_000);
                }
                waited += System.nanoTime() - began;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CancellationException("stopped");
            } finally {
                lock.unlock();
            }
        }
    }

    public static StatusRuntimeException toStatus(RuntimeException failure) {
        return switch (failure) {
            case StatusRuntimeException status -> status;
            case SpurException e -> status(e.code(), e.getMessage());
            case ControllerException e ->
                    e.getCause() instanceof StatusRuntimeException refused
                            ? refused
                            : status(ErrorCode.NO_MAJORITY, e.getMessage());
            case NotationException e -> status(ErrorCode.INVALID_REQUEST, e.getMessage());
            case IllegalArgumentException e -> status(ErrorCode.INVALID_REQUEST, e.getMessage());
            case JdbiException e -> {
                LOG.atWarn().setCause(e).log("the database did not answer a question");
                yield status(
                        ErrorCode.BUSY,
                        "the accounting database does not answer at the moment. Try again later, or tell your administrator");
            }
            default -> {
                LOG.atError().setCause(failure).log("a call failed");
                yield status(ErrorCode.INTERNAL, "spurdbd failed to answer; its log says why");
            }
        };
    }

    private static StatusRuntimeException status(
            ErrorCode code, @org.jspecify.annotations.Nullable String message) {
        var trailers = new Metadata();
        trailers.put(CallerHeaders.ERROR_CODE, code.name());
        trailers.put(CallerHeaders.ERRNO, Integer.toString(code.slurmErrno()));
        return Status.Code.valueOf(code.grpcStatus())
                .toStatus()
                .withDescription(message)
                .asRuntimeException(trailers);
    }
}
