package dev.spur.engine.credential;

import dev.spur.model.Role;
import java.time.Instant;

/// A token that was handed out, without its secret.
public record IssuedToken(
        String id,
        int uid,
        String userName,
        Role role,
        Instant createdAt,
        Instant expiresAt,
        boolean revoked) {
    public IssuedToken asRevoked() {
        return new IssuedToken(id, uid, userName, role, createdAt, expiresAt, true);
    }
}
