package dev.spur.cli.process;

import dev.spur.cli.ProcessSignal;
import dev.spur.cli.Signals;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/// Signals to this process.
final class ProcessSignals implements Signals {
    private final BlockingQueue<ProcessSignal> waiting = new LinkedBlockingQueue<>();
    private final Map<ProcessSignal, SignalHandler> before = new EnumMap<>(ProcessSignal.class);
    private volatile Consumer<ProcessSignal> listener = _ -> {};
    private @Nullable Thread thread;

    @Override
    public synchronized void listen(Set<ProcessSignal> signals, Consumer<ProcessSignal> consumer) {
        listener = consumer;
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("signals").start(this::deliver);
        }
        for (var signal : ProcessSignal.values()) {
            if (signals.contains(signal) && !before.containsKey(signal)) {
                take(signal);
            } else if (!signals.contains(signal) && before.containsKey(signal)) {
                Signal.handle(new Signal(signal.name()), before.remove(signal));
            }
        }
    }

    private void take(ProcessSignal signal) {
        try {
            before.put(signal, Signal.handle(new Signal(signal.name()), _ -> waiting.add(signal)));
        } catch (IllegalArgumentException e) {
            // QUIT and USR1 belong to the JVM: they keep their effect.
            before.remove(signal);
        }
    }

    private void deliver() {
        try {
            while (true) {
                listener.accept(waiting.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
