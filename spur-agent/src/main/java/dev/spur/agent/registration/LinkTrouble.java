package dev.spur.agent.registration;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Which failures to reach the controller are worth a line in the log: each one once. Daemons of a
/// cluster start in any order, so that none answers at first is no trouble yet.
final class LinkTrouble {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Instant startedAt;
    private boolean everConnected;
    private boolean waiting;
    private @Nullable String last;

    enum Line {
        NONE,
        WAITING,
        WARNING
    }

    LinkTrouble(Instant now) {
        startedAt = now;
    }

    Line failed(String cause, Instant now) {
        if (!everConnected && now.isBefore(startedAt.plus(PATIENCE))) {
            var line = waiting ? Line.NONE : Line.WAITING;
            waiting = true;
            return line;
        }
        var line = cause.equals(last) ? Line.NONE : Line.WARNING;
        last = cause;
        return line;
    }

    /// @return whether somebody read of trouble that is over now
    boolean connected() {
        var over = waiting || last != null;
        everConnected = true;
        waiting = false;
        last = null;
        return over;
    }
}
