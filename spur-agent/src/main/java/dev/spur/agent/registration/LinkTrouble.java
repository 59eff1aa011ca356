package dev.spur.agent.registration;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/// Which failures to reach the controller are worth a line in the log: each one once, also while
/// several controllers fail in turn, each in its own way. Daemons of a cluster start in any order,
/// so that none answers at first is no trouble yet.
final class LinkTrouble {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MOST_REMEMBERED = 100;

    private final Instant startedAt;
    private boolean everConnected;
    private boolean waiting;
    private final Set<String> told = new HashSet<>();

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
        return refused(cause);
    }

    /// The controller answers, and will not have this node: that is told at once.
    Line refused(String cause) {
        if (told.size() >= MOST_REMEMBERED) {
            told.clear();
        }
        return told.add(cause) ? Line.WARNING : Line.NONE;
    }

    /// @return whether somebody read of trouble that is over now
    boolean connected() {
        var over = waiting || !told.isEmpty();
        everConnected = true;
        waiting = false;
        told.clear();
        return over;
    }
}
