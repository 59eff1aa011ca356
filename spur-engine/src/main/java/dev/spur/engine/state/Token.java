package dev.spur.engine.state;

import dev.spur.model.Role;
import java.time.Instant;

/// A token that was handed out, without its secret.
public record Token(
        String id,
        int uid,
        String userName,
        Role role,
        Instant createdAt,
        Instant expiresAt,
        boolean revoked) {
    Token asRevoked() {
        return new Token(id, uid, userName, role, createdAt, expiresAt, true);
    }
}
