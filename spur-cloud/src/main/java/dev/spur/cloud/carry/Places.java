package dev.spur.cloud.carry;

import dev.spur.runtime.http.Problem;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/// How much one person, and all together, have under way; more is refused in time.
final class Places {
    static final int MOST_OF_ONE_PERSON = 48;
    private static final int MOST = 512;
    private static final long MOST_BYTES = 64L << 20;

    private final Map<UUID, Integer> used = new HashMap<>();
    private int all;
    private long bytes;

    /// Held while a request is under way; closing it twice does nothing.
    final class Place implements AutoCloseable {
        private final UUID person;
        private final AtomicBoolean isClosed = new AtomicBoolean();
        private long held;

        private Place(UUID person) {
            this.person = person;
        }

        /// Room for a body.
        void hold(long size) {
            synchronized (Places.this) {
                if (bytes + size > MOST_BYTES) {
                    throw busy("The bodies under way take too much memory.");
                }
                bytes += size;
                held += size;
            }
        }

        @Override
        public void close() {
            if (isClosed.compareAndSet(false, true)) {
                leave(person, held);
            }
        }
    }

    synchronized Place enter(UUID person) {
        if (used.getOrDefault(person, 0) >= MOST_OF_ONE_PERSON) {
            throw busy("You have %d requests under way.".formatted(MOST_OF_ONE_PERSON));
        }
        if (all >= MOST) {
            throw busy("Too many requests are under way.");
        }
        used.merge(person, 1, Integer::sum);
        all++;
        return new Place(person);
    }

    private synchronized void leave(UUID person, long held) {
        used.computeIfPresent(person, (_, count) -> count == 1 ? null : count - 1);
        all--;
        bytes -= held;
    }

    private static Problem busy(String because) {
        return Problem.of(429, "busy", because, "Wait for some of them to end, then try again.")
                .with("Retry-After", "2");
    }
}
