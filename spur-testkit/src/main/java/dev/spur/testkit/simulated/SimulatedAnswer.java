package dev.spur.testkit.simulated;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Whoever waits for it waits in simulated time.
final class SimulatedAnswer<T> extends CompletableFuture<T> {
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new SimulatedAnswer<>();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        awaitIt(null);
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        awaitIt(Duration.of(timeout, unit.toChronoUnit()));
        if (!isDone()) {
            throw new TimeoutException();
        }
        return super.get();
    }

    @Override
    public T join() {
        awaitIt(null);
        return super.join();
    }

    private void awaitIt(@Nullable Duration longest) {
        if (!isDone()) {
            SimulatedThread.await(this, longest);
        }
    }
}
