package dev.spur.controller.agent;

import java.util.ArrayDeque;
import java.util.Queue;

/// Places for the few large messages that are under way at the same time. A launch takes several
/// times its script and environment while it is made and sent: one for each node of a large cluster
/// at once would be more than the heap. Nobody waits with a thread; whoever got no place is called.
final class LargeMessages {
    static final int PLACES = 8;

    private final Queue<AgentSession> waiting = new ArrayDeque<>();
    private int free = PLACES;

    /// @return whether there was a place; else the session is told as soon as there is one
    synchronized boolean take(AgentSession session) {
        if (free == 0) {
            waiting.add(session);
            return false;
        }
        free--;
        return true;
    }

    /// Not to be called with a lock of a session: another's may be needed.
    void giveBack() {
        while (true) {
            AgentSession next;
            synchronized (this) {
                next = waiting.poll();
                if (next == null) {
                    free++;
                    return;
                }
            }
            if (next.granted()) {
                return;
            }
        }
    }
}
