package dev.spur.controller.state;

import dev.spur.engine.codec.SnapshotCodec;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Threads that decode a stored state while it is being put together: a restart waits for them.
final class Decoders implements SnapshotCodec.Workers, AutoCloseable {
    private static final int MOST = 3;

    private final ExecutorService threads =
            Executors.newFixedThreadPool(
                    Math.min(MOST, Runtime.getRuntime().availableProcessors()),
                    Thread.ofPlatform().name("spur-decoder-", 1).daemon().factory());

    @Override
    public Runnable begin(Runnable work) {
        var begun = CompletableFuture.runAsync(work, threads);
        return () -> await(begun);
    }

    private static void await(CompletableFuture<?> begun) {
        try {
            begun.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException thrown) {
                throw thrown;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        threads.close();
    }
}
