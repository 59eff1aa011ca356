package dev.spur.cli.door;

import dev.spur.api.client.AnswerAccount;
import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Failure;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.function.BooleanSupplier;

/// Counts what each caller uses, and says no in time.
final class CallerQuotas {
    private final DoorLimits limits;
    private final BooleanSupplier hasRoom;
    private final Map<Long, Use> uses = new HashMap<>();
    private int commands;
    private long bytes;

    /// Commands that hold answers, the oldest first.
    private final SequencedSet<Permit> holders = new LinkedHashSet<>();

    private long answers;

    private static final class Use {
        int commands;
        long bytes;
        long answers;
    }

    /// @param hasRoom whether the door has memory for one more command, whoever asks
    CallerQuotas(DoorLimits limits, BooleanSupplier hasRoom) {
        this.limits = limits;
        this.hasRoom = hasRoom;
    }

    /// A place for one more command of that user, or nothing when there is none.
    Optional<Permit> enter(long uid) {
        return hasRoom.getAsBoolean() ? place(uid) : Optional.empty();
    }

    private synchronized Optional<Permit> place(long uid) {
        var use = uses.computeIfAbsent(uid, _ -> new Use());
        if (commands >= limits.commands() || use.commands >= limits.commandsPerUser()) {
            if (use.commands == 0) {
                uses.remove(uid);
            }
            return Optional.empty();
        }
        commands++;
        use.commands++;
        return Optional.of(new Permit(uid, use));
    }

    private Permit firstOf(long uid) {
        return holders.stream().filter(holder -> holder.uid == uid).findFirst().orElseThrow();
    }

    synchronized int commands() {
        return commands;
    }

    /// Held by a command while it runs.
    final class Permit implements AutoCloseable, AnswerAccount {
        private final long uid;
        private final Use use;
        private long held;
        private long heldOfAnswers;
        private boolean closed;

        private Permit(long uid, Use use) {
            this.uid = uid;
            this.use = use;
        }

        boolean claim(int wanted) {
            synchronized (CallerQuotas.this) {
                if (closed
                        || bytes + wanted > limits.bytes()
                        || use.bytes + wanted > limits.bytesPerUser()) {
                    return false;
                }
                bytes += wanted;
                use.bytes += wanted;
                held += wanted;
                return true;
            }
        }

        @Override
        public void ask() {
            synchronized (CallerQuotas.this) {
                release();
            }
        }

        private void release() {
            answers -= heldOfAnswers;
            use.answers -= heldOfAnswers;
            heldOfAnswers = 0;
            if (holders.remove(this)) {
                CallerQuotas.this.notifyAll();
            }
        }

        @Override
        public void hold(long wanted) {
            synchronized (CallerQuotas.this) {
                holders.add(this);
                var until = System.nanoTime() + limits.answer().toNanos();
                while (!closed && !hasRoomFor(wanted)) {
                    awaitRoom(until);
                }
                if (closed) {
                    holders.remove(this); // a last answer, which nobody would give back
                    return;
                }
                answers += wanted;
                use.answers += wanted;
                heldOfAnswers += wanted;
            }
        }

        /// The oldest command always gets on, of its user and of all: so each has its turn.
        private boolean hasRoomFor(long wanted) {
            var isFirst = holders.getFirst() == this;
            var isFirstOfUser = firstOf(uid) == this;
            return (isFirst || answers + wanted <= limits.answers())
                    && (isFirstOfUser || use.answers + wanted <= limits.answersPerUser());
        }

        private void awaitRoom(long until) {
            var left = Duration.ofNanos(until - System.nanoTime());
            if (!left.isPositive()) {
                throw new Failure(
                        "the answers of your running commands need too much memory (at most %d MiB); try again later."
                                .formatted(limits.answersPerUser() >> 20));
            }
            try {
                CallerQuotas.this.wait(Math.max(1, left.toMillis()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CallerGoneException("cancelled while there was no room for the answer");
            }
        }

        @Override
        public void close() {
            synchronized (CallerQuotas.this) {
                if (closed) {
                    return;
                }
                closed = true;
                release();
                bytes -= held;
                use.bytes -= held;
                commands--;
                if (--use.commands == 0) {
                    uses.remove(uid);
                }
            }
        }
    }
}
