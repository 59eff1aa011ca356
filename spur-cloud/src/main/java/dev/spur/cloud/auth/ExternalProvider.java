package dev.spur.cloud.auth;

import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Somebody else who says who people are.
interface ExternalProvider {
    /// As in the path and in `identity.provider`.
    String name();

    /// Where a browser is sent.
    ///
    /// @param challenge of PKCE, S256
    URI authorization(String state, String challenge, String nonce);

    /// Turns the code that a browser brought back into a person. Refusals are problems.
    ///
    /// @param verifier of PKCE
    Claims redeem(String code, String verifier, String nonce);

    /// What the provider says of a person.
    ///
    /// @param subject by which they are known there for ever
    /// @param email null: none that the provider vouches for
    /// @param isAdmin null: the provider does not decide that
    record Claims(
            String subject,
            @Nullable String email,
            String username,
            @Nullable String displayName,
            @Nullable String avatarUrl,
            @Nullable Boolean isAdmin) {
        Optional<String> verifiedEmail() {
            return Optional.ofNullable(email);
        }
    }
}
