package dev.spur.engine.credential;

import java.time.Instant;

/// A one-time secret with which a host may ask for a certificate; only its hash is kept.
///
/// @param hostRole controller, compute, login or admin
/// @param host empty: any
/// @param usedBy the host that joined with it; empty: none yet
/// @param usedKey hash of that host's public key: only its holder gets the same answer again
public record IssuedJoinToken(
        String secretHash,
        String hostRole,
        String host,
        Instant createdAt,
        Instant expiresAt,
        String usedBy,
        String usedKey) {
    public boolean isUsed() {
        return !usedBy.isEmpty();
    }

    public boolean isUsedWith(String name, String key) {
        return usedBy.equals(name) && usedKey.equals(key);
    }

    public IssuedJoinToken asUsedBy(String name, String key) {
        return new IssuedJoinToken(secretHash, hostRole, host, createdAt, expiresAt, name, key);
    }
}
