package dev.spur.cli.submission;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/// A request that makes what somebody must end again: a job, a step. Its answer is waited for even
/// if the command's caller dies meanwhile, since who does not know what was made cannot end it.
public final class KnownOutcome {
    private KnownOutcome() {}

    /// The answer. An interrupt that came while waiting is still set afterwards.
    public static <R> R of(Supplier<R> request) {
        var answer = new FutureTask<>(request::get);
        Thread.ofVirtual().name("request").start(answer);
        var interrupted = false;
        try {
            while (true) {
                try {
                    return answer.get();
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
