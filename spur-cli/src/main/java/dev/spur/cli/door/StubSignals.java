package dev.spur.cli.door;

import dev.spur.cli.ProcessSignal;
import dev.spur.cli.Signals;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Signals that the stub passes on, handed to the listener one after another on a thread of their
/// own.
final class StubSignals implements Signals {
    private static final int MOST_WAITING = 64;

    private final FrameWriter writer;
    private final BlockingQueue<ProcessSignal> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private volatile Consumer<ProcessSignal> listener = _ -> {};
    private @Nullable Thread thread;
    private boolean stopped;

    StubSignals(FrameWriter writer) {
        this.writer = writer;
    }

    @Override
    public void listen(Set<ProcessSignal> signals, Consumer<ProcessSignal> consumer) {
        listener = consumer;
        start();
        long mask = 0;
        for (var signal : signals) {
            mask |= 1L << signal.number();
        }
        writer.sendLong(Frame.CATCH, 0, mask);
    }

    /// Who sends more signals than anybody can handle loses some, as signals are lost.
    void received(ProcessSignal signal) {
        boolean _ = waiting.offer(signal);
    }

    private synchronized void start() {
        if (thread == null && !stopped) {
            thread = Thread.ofVirtual().name("door-signals").start(this::deliver);
        }
    }

    private void deliver() {
        try {
            while (true) {
                listener.accept(waiting.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the command has ended
        }
    }

    synchronized void stop() {
        stopped = true;
        if (thread != null) {
            thread.interrupt();
        }
    }
}
