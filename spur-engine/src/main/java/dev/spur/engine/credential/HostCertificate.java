package dev.spur.engine.credential;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The newest certificate that a host was given.
///
/// @param role controller, compute, login or admin
/// @param revokedUntil every certificate of the host that was issued up to this time is worthless
public record HostCertificate(
        String host,
        String role,
        Instant issuedAt,
        Instant expiresAt,
        @Nullable Instant revokedUntil) {
    public HostCertificate asRevoked(Instant until) {
        return new HostCertificate(host, role, issuedAt, expiresAt, until);
    }

    HostCertificate renewed(HostCertificate newer) {
        return new HostCertificate(host, newer.role, newer.issuedAt, newer.expiresAt, revokedUntil);
    }
}
