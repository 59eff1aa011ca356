package dev.spur.agent.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepOutput;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The caller's end of a call, which takes everything at once unless the test says otherwise.
final class StepCaller extends ServerCallStreamObserver<StepOutput> {
    private final List<StepOutput> heard = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Runnable onCancel = () -> {};
    private volatile @Nullable Throwable error;

    /// Whether the caller reads.
    volatile boolean reads = true;

    private volatile Runnable onReady = () -> {};
    private volatile @Nullable StreamObserver<StepInput> confirming;

    /// Says that it has everything as soon as it has.
    StreamObserver<StepInput> confirming(StreamObserver<StepInput> call) {
        confirming = call;
        return call;
    }

    /// It is gone, or its host is.
    void vanish() {
        onCancel.run();
    }

    /// How many messages the agent has asked for.
    final AtomicInteger requested = new AtomicInteger();

    /// Everything that was said, once there is nothing more to say.
    List<StepOutput> heard() throws InterruptedException {
        if (!over.await(30, TimeUnit.SECONDS)) {
            throw new AssertionError("only this was said: " + heard);
        }
        return heard;
    }

    List<StepOutput> heardSoFar() {
        return heard;
    }

    @Nullable Throwable error() throws InterruptedException {
        heard();
        return error;
    }

    @Override
    public void onNext(StepOutput output) {
        heard.add(output);
        var call = confirming;
        if (output.hasStepEnded()) {
            ended.countDown();
            if (call != null) {
                call.onCompleted();
            }
        }
    }

    void awaitStepEnded() throws InterruptedException {
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void onError(Throwable why) {
        error = why;
        over.countDown();
    }

    @Override
    public void onCompleted() {
        over.countDown();
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public void setOnCancelHandler(Runnable handler) {
        onCancel = handler;
    }

    @Override
    public void setCompression(String compression) {}

    @Override
    public boolean isReady() {
        return reads;
    }

    @Override
    public void setOnReadyHandler(Runnable handler) {
        onReady = handler;
    }

    void readsAgain() {
        reads = true;
        onReady.run();
    }

    @Override
    public void request(int count) {
        requested.addAndGet(count);
    }

    @Override
    public void setMessageCompression(boolean enable) {}

    @Override
    public void disableAutoInboundFlowControl() {}

    @Override
    public void disableAutoRequest() {}
}
