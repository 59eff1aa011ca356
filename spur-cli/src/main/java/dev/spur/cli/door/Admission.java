package dev.spur.cli.door;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Counts what each caller uses, and says no in time.
final class Admission {
    private final DoorLimits limits;
    private final Map<Long, Use> uses = new HashMap<>();
    private int commands;
    private long bytes;

    private static final class Use {
        int commands;
        long bytes;
    }

    Admission(DoorLimits limits) {
        this.limits = limits;
    }

    /// A place for one more command of that user, or nothing when there is none.
    synchronized Optional<Permit> enter(long uid) {
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

    synchronized int commands() {
        return commands;
    }

    /// Held by a command while it runs.
    final class Permit implements AutoCloseable {
        private final long uid;
        private final Use use;
        private long held;
        private boolean closed;

        private Permit(long uid, Use use) {
            this.uid = uid;
            this.use = use;
        }

        boolean claim(int wanted) {
            synchronized (Admission.this) {
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
        public void close() {
            synchronized (Admission.this) {
                if (closed) {
                    return;
                }
                closed = true;
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
