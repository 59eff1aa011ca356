package dev.spur.engine.state;

import java.time.Instant;

/// A one-time secret with which a host may ask for a certificate; only its hash is kept.
///
/// @param hostRole controller, compute, login or admin
/// @param host empty: any
public record JoinToken(
        String secretHash,
        String hostRole,
        String host,
        Instant createdAt,
        Instant expiresAt,
        String usedBy) {
    public boolean isUsed() {
        return !usedBy.isEmpty();
    }

    JoinToken asUsedBy(String name) {
        return new JoinToken(secretHash, hostRole, host, createdAt, expiresAt, name);
    }
}
