package dev.spur.agent.step;

import dev.spur.agent.step.SupervisedStep.StreamPosition;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Remembers what tasks wrote.
public final class StreamRecorder implements StepAttachment.Receiver {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Integer, ByteArrayOutputStream> texts = new TreeMap<>();
    private final Map<Integer, StreamPosition> positions = new TreeMap<>();
    private int open = -1;
    private long taken;
    private @Nullable StepAttachment acknowledged;

    @Override
    public void attached(long inputOffset, int streams) {
        update(() -> open = streams);
    }

    @Override
    public void output(StreamPosition at, byte[] data) {
        update(() -> {
            texts.computeIfAbsent(at.rank(), _ -> new ByteArrayOutputStream()).writeBytes(data);
            positions.put(
                    at.rank() * 2 + at.stream(),
                    new StreamPosition(at.rank(), at.stream(), at.offset() + data.length));
            acknowledge();
        });
    }

    /// From now on everything that arrives is acknowledged.
    public void acknowledgeTo(StepAttachment attachment) {
        update(() -> {
            acknowledged = attachment;
            acknowledge();
        });
    }

    private void acknowledge() {
        if (acknowledged != null) {
            positions.values().forEach(acknowledged::seen);
        }
    }

    @Override
    public void outputEnded(StreamPosition at) {
        update(() -> open--);
    }

    @Override
    public void inputTaken(long offset) {
        update(() -> taken = offset);
    }

    @Override
    public void detached() {}

    /// What a task wrote, once everything has been said.
    public String whole(int rank) {
        await(() -> open == 0);
        return text(rank);
    }

    public void awaitText(int rank, String wanted) {
        await(() -> text(rank).contains(wanted));
    }

    /// Waits until the tasks have taken so much of their input.
    public void awaitTaken(long offset) {
        await(() -> taken >= offset);
    }

    private String text(int rank) {
        var bytes = texts.get(rank);
        return bytes == null ? "" : bytes.toString(StandardCharsets.UTF_8);
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
                    throw new AssertionError("only this was written: " + texts);
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            lock.unlock();
        }
    }
}
