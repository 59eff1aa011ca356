package dev.spur.cloud.users;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A row of `person`.
///
/// @param emailVerified whether a provider vouched for the address
/// @param maxGpus null: as many as there are
/// @param unixUid who the person is on nodes; null until the first session
/// @param linkedUid the account on the cluster that the person proved to be; null: none
public record Person(
        UUID id,
        String email,
        boolean emailVerified,
        String username,
        @Nullable String passwordHash,
        @Nullable String displayName,
        @Nullable String avatarUrl,
        boolean isAdmin,
        boolean isActive,
        @Nullable Integer maxGpus,
        @Nullable String totpSecret,
        boolean totpConfirmed,
        long totpLastStep,
        @Nullable Long unixUid,
        @Nullable String unixName,
        @Nullable Long linkedUid,
        @Nullable String linkedName,
        Instant createdAt,
        @Nullable Instant lastLoginAt) {
    public boolean hasSecondFactor() {
        return totpSecret != null && totpConfirmed;
    }

    @Override
    public String toString() {
        return "Person[%s, %s]".formatted(id, email); // no hashes in logs
    }
}
