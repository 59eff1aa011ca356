package dev.spur.engine.credential;

import java.time.Instant;

/// A user of the cluster has typed a code that the cloud showed, and the cloud may take it from
/// here, once.
///
/// @param codeHash of what was typed
/// @param takenBy the cloud's host that took it; empty: none yet
/// @param request by which that host asked: it alone gets the same answer again
public record PendingLink(
        String codeHash,
        int uid,
        String userName,
        Instant expiresAt,
        String takenBy,
        String request) {
    public boolean isTaken() {
        return !takenBy.isEmpty();
    }

    public boolean isTakenWith(String host, String id) {
        return takenBy.equals(host) && request.equals(id);
    }

    public PendingLink asTakenBy(String host, String id) {
        return new PendingLink(codeHash, uid, userName, expiresAt, host, id);
    }
}
