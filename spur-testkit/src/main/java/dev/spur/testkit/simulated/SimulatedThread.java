package dev.spur.testkit.simulated;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// Code that waits, in simulated time. It has a thread of its own, but runs only while the
/// simulation stands still for it, so at any moment only one of all threads runs, and which one is
/// decided by the seed.
///
/// It must not wait while it holds a monitor that others enter: nobody would ever release it.
final class SimulatedThread {
    private static final ScopedValue<SimulatedThread> CURRENT = ScopedValue.newInstance();

    private final SimulatedTime time;
    private final SimulatedProcess process;
    private final Semaphore turn = new Semaphore(0);
    private final Semaphore done = new Semaphore(0);
    private @Nullable Throwable failure;
    private boolean ended;
    private boolean killed;

    private SimulatedThread(SimulatedTime time, SimulatedProcess process) {
        this.time = time;
        this.process = process;
    }

    /// Runs the task until it waits or ends.
    static void start(SimulatedTime time, SimulatedProcess process, Runnable task) {
        var thread = new SimulatedThread(time, process);
        process.has(thread);
        Thread.ofVirtual().start(() -> thread.live(task));
        thread.resume();
    }

    static boolean isCurrent() {
        return CURRENT.isBound();
    }

    /// Waits until it is completed, or for so long.
    static void await(CompletableFuture<?> awaited, @Nullable Duration longest) {
        if (!CURRENT.isBound()) {
            throw new IllegalStateException(
                    "this would wait for ever: nothing else runs meanwhile");
        }
        CURRENT.get().waitFor(awaited, longest);
    }

    /// Lets others run meanwhile.
    static void sleep(Duration duration) {
        if (CURRENT.isBound()) {
            CURRENT.get().waitFor(new CompletableFuture<>(), duration);
        }
    }

    private void live(Runnable task) {
        turn.acquireUninterruptibly();
        try {
            if (!killed) {
                ScopedValue.where(CURRENT, this).run(task);
            }
        } catch (Killed _) {
            // as a process does that is killed: nothing is said
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            ended = true;
            done.release();
        }
    }

    private void waitFor(CompletableFuture<?> awaited, @Nullable Duration longest) {
        var wakened = new CompletableFuture<Void>();
        var _ = wakened.thenRun(() -> process.after(Duration.ZERO, this::resume));
        var _ = awaited.whenComplete((_, _) -> wakened.complete(null));
        if (longest != null) {
            process.after(longest, () -> wakened.complete(null));
        }
        done.release();
        turn.acquireUninterruptibly();
        if (killed) {
            throw new Killed();
        }
    }

    private void resume() {
        if (ended) {
            return;
        }
        turn.release();
        done.acquireUninterruptibly();
        if (ended) {
            process.hasNoMore(this);
        }
        var thrown = failure;
        failure = null;
        switch (thrown) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(thrown);
        }
    }

    /// Ends it where it waits, or where it will wait next.
    void kill() {
        killed = true;
        if (!CURRENT.isBound() || CURRENT.get() != this) {
            resume();
        }
    }

    /// Passes by everything that handles exceptions.
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;

        Killed() {
            super("killed", null, false, false);
        }
    }
}
