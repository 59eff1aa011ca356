package dev.spur.cli.door;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.Queue;
import java.util.SequencedMap;

/// Callers who have come and are not served yet: a line for each user, the lines served in turn.
/// Who comes ten thousand times waits behind himself, and nobody else does.
///
/// So many are served at once as keep the processors busy; who takes long gives up that place. When
/// none becomes free for a moment the next is served all the same: callers who say nothing, or do
/// not read, keep nobody out.
final class Lines {
    private final Duration patience;
    private final SequencedMap<Long, Queue<Turn>> lines = new LinkedHashMap<>();

    /// Less than none when turns were given without.
    private int free;

    private boolean closed;

    /// @param places how many are served at once
    /// @param patience how long the next waits for one of them
    Lines(int places, Duration patience) {
        this.free = places;
        this.patience = patience;
    }

    /// One caller's.
    final class Turn {
        private final Runnable work;
        private boolean over;

        private Turn(Runnable work) {
            this.work = work;
        }

        void serve() {
            try {
                work.run();
            } finally {
                end();
            }
        }

        /// It has been served, or takes long. May be said twice, and before the turn has come.
        void end() {
            synchronized (Lines.this) {
                if (!over) {
                    over = true;
                    free++;
                    Lines.this.notifyAll();
                }
            }
        }
    }

    synchronized Turn join(long uid, Runnable work) {
        var turn = new Turn(work);
        lines.computeIfAbsent(uid, _ -> new ArrayDeque<>()).add(turn);
        notifyAll();
        return turn;
    }

    /// Whose turn it is; nothing when the lines are closed and all have been served.
    synchronized Optional<Turn> next() throws InterruptedException {
        while (lines.isEmpty()) {
            if (closed) {
                return Optional.empty();
            }
            wait();
        }
        awaitPlace();
        var first = lines.pollFirstEntry();
        var turn = first.getValue().remove();
        if (!first.getValue().isEmpty()) {
            lines.putLast(first.getKey(), first.getValue());
        }
        free--;
        return Optional.of(turn);
    }

    private void awaitPlace() throws InterruptedException {
        var until = System.nanoTime() + patience.toNanos();
        while (free <= 0 && !closed) {
            var left = Duration.ofNanos(until - System.nanoTime());
            if (!left.isPositive()) {
                return;
            }
            wait(Math.max(1, left.toMillis()));
        }
    }

    /// Nobody joins any more; those who wait have their turn at once.
    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
