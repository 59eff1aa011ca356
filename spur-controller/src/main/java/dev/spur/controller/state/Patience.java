package dev.spur.controller.state;

import dev.spur.controller.raft.UnknownOutcomeException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Ends the waiting for answers that do not come. A timer for each would cost more than most
/// answers do; one look a second serves all, since answers come in the order of the questions: only
/// the oldest has to be looked at.
///
/// Time is counted in looks. While this process stands still nobody becomes impatient, and no clock
/// that is set makes anybody so.
final class Patience {
    /// How often [#look] is to be called.
    static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final int looks;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long looked;

    private record Waiting(CompletableFuture<?> answer, long until) {}

    Patience(Duration longest) {
        // One more: the first may come at once.
        this.looks = Math.toIntExact(longest.dividedBy(LOOK_EVERY)) + 1;
    }

    /// The answer, which fails if it takes too long.
    synchronized <T> CompletableFuture<T> with(CompletableFuture<T> answer) {
        while (!waiting.isEmpty() && waiting.getFirst().answer().isDone()) {
            waiting.removeFirst();
        }
        if (!answer.isDone()) {
            waiting.add(new Waiting(answer, looked + looks));
        }
        return answer;
    }

    void look() {
        takeImpatient().forEach(Patience::end);
    }

    private synchronized List<Waiting> takeImpatient() {
        looked++;
        var impatient = new ArrayList<Waiting>();
        while (isOver(waiting.peekFirst())) {
            impatient.add(waiting.removeFirst());
        }
        return impatient;
    }

    private boolean isOver(@Nullable Waiting oldest) {
        return oldest != null && (oldest.answer().isDone() || oldest.until() <= looked);
    }

    private static void end(Waiting impatient) {
        impatient.answer().completeExceptionally(tooLate(null));
    }

    static UnknownOutcomeException tooLate(@Nullable Throwable cause) {
        return new UnknownOutcomeException(
                "the controller could not write this down within %d s"
                        .formatted(Proposals.PATIENCE.toSeconds()),
                cause);
    }
}
