package dev.spur.agent.output;

import dev.spur.api.v1.OutputPiece;
import dev.spur.api.v1.OutputPosition;
import dev.spur.api.v1.OutputTurn;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A caller of the output service that remembers what it got.
final class Collected extends ServerCallStreamObserver<OutputPiece> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private final List<OutputTurn> turns = new ArrayList<>();
    private OutputPosition next = OutputPosition.getDefaultInstance();
    private boolean begun;
    private boolean over;
    private boolean takesNothing;
    private volatile @Nullable Runnable whenCancelled;
    private @Nullable Throwable refused;

    /// One that never reads.
    static Collected stalled() {
        var stalled = new Collected();
        stalled.takesNothing = true;
        return stalled;
    }

    @Override
    public void onNext(OutputPiece piece) {
        update(() -> {
            begun = true;
            text.writeBytes(piece.getData().toByteArray());
            if (piece.getTurn() != OutputTurn.OUTPUT_GOES_ON) {
                turns.add(piece.getTurn());
            }
            next =
                    piece.getAt().toBuilder()
                            .setOffset(piece.getAt().getOffset() + piece.getData().size())
                            .build();
        });
    }

    @Override
    public void onError(Throwable error) {
        update(() -> {
            refused = error;
            over = true;
        });
    }

    @Override
    public void onCompleted() {
        update(() -> over = true);
    }

    void awaitStart() {
        await(() -> begun);
    }

    void awaitText(String wanted) {
        await(() -> text().contains(wanted));
    }

    void awaitLength(int length) {
        await(() -> text.size() >= length);
    }

    void awaitTurn(OutputTurn wanted) {
        await(() -> turns.contains(wanted));
    }

    /// Everything, once it is over.
    String whole() {
        await(() -> over);
        if (refused != null) {
            throw new AssertionError("refused", refused);
        }
        return text();
    }

    String refusal() {
        await(() -> over);
        var status = Status.fromThrowable(java.util.Objects.requireNonNull(refused));
        return status.getCode() + ": " + status.getDescription();
    }

    /// Why it was refused, or what came first.
    String refusalOrText() {
        await(() -> over || text.size() > 0);
        return refused == null ? text() : refusal();
    }

    OutputPosition next() {
        return next;
    }

    List<OutputTurn> turns() {
        return List.copyOf(turns);
    }

    void cancel() {
        var handler = whenCancelled;
        if (handler != null) {
            handler.run();
        }
    }

    private String text() {
        return text.toString(StandardCharsets.UTF_8);
    }

    private void update(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void await(BooleanSupplier condition) {
        lock.lock();
        try {
            var left = TimeUnit.SECONDS.toNanos(30);
            while (!condition.getAsBoolean()) {
                if (left <= 0) {
                    throw new AssertionError("only this came: " + text() + turns + refused);
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isReady() {
        return !takesNothing;
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public void setOnCancelHandler(Runnable handler) {
        whenCancelled = handler;
    }

    @Override
    public void setOnReadyHandler(Runnable handler) {}

    @Override
    public void setCompression(String compression) {}

    @Override
    public void disableAutoInboundFlowControl() {}

    @Override
    public void request(int count) {}

    @Override
    public void setMessageCompression(boolean enable) {}
}
