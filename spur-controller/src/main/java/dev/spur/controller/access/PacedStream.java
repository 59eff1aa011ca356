package dev.spur.controller.access;

import dev.spur.controller.raft.BusyException;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// A stream that is written no faster than it is read. Made while the call is set up, run on a
/// thread of its own: the handlers that tell of room come on the call's.
public final class PacedStream<R> {
    private static final Duration READ_WITHIN = Duration.ofSeconds(120);

    private final long began = System.nanoTime();
    private final ServerCallStreamObserver<R> out;
    private final Semaphore room = new Semaphore(0);

    public PacedStream(ServerCallStreamObserver<R> out) {
        this.out = out;
        out.setOnReadyHandler(room::release);
        out.setOnCancelHandler(room::release);
    }

    public void run(Runnable work) {
        var caller = Context.current();
        Thread.startVirtualThread(
                caller.wrap(() -> {
                    try {
                        work.run();
                        out.onCompleted();
                    } catch (RuntimeException e) {
                        if (!out.isCancelled()) {
                            out.onError(Failures.toStatus(e));
                        }
                    }
                }));
    }

    public void send(R message) {
        while (!out.isReady() && !out.isCancelled()) {
            awaitRoom();
        }
        if (out.isCancelled()) {
            throw Status.CANCELLED.asRuntimeException();
        }
        out.onNext(message);
    }

    /// Whoever does not read holds the state as it was when he asked.
    private void awaitRoom() {
        try {
            var left = READ_WITHIN.toNanos() - (System.nanoTime() - began);
            if (!room.tryAcquire(left, TimeUnit.NANOSECONDS)) {
                throw Status.DEADLINE_EXCEEDED
                        .withDescription(
                                "the answer was not read within %d s"
                                        .formatted(READ_WITHIN.toSeconds()))
                        .asRuntimeException();
            }
            room.drainPermits();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BusyException("the controller is stopping, try again");
        }
    }
}
