package dev.spur.runtime.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Bearer tokens of people who come from elsewhere: JWT, HS256, with Slurm's claim `sun` for the
/// user name.
///
/// A token of our own also carries `uid` and an id (`jti`) by which it is listed and revoked. A
/// bare `{"exp","iat","sun"}` signed with the configured `auth.jwt_key`, as Slurm's tools make it,
/// is accepted too.
public final class Tokens {
    /// A token is text of a few hundred letters; nothing longer is looked at.
    private static final int LONGEST = 8192;

    private static final Duration CLOCK_SKEW = Duration.ofSeconds(30);

    /// How long a token of the cloud lives, which nobody can revoke by itself.
    public static final Duration LIFE_IN_CLOUD = Duration.ofMinutes(5);

    private static final String CLOUD_HOST = "spur_cloud";
    private static final String CLOUD_ADMINISTRATOR = "spur_admin";
    private static final int ID_BYTES = 9;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SigningKeys keys;
    private final Optional<byte[]> foreignKey;
    private final InstantSource clock;
    private final Predicate<String> isRevoked;

    /// @param foreignKey `auth.jwt_key`, for tokens made by others
    /// @param isRevoked asked with a token's id
    public Tokens(
            SigningKeys keys,
            byte @Nullable [] foreignKey,
            InstantSource clock,
            Predicate<String> isRevoked) {
        if (foreignKey != null && foreignKey.length < 32) {
            throw new IdentityException(
                    "auth.jwt_key is too short for HS256: it has %d bytes and needs at least 32. "
                                    .formatted(foreignKey.length)
                            + "Make one with: dd if=/dev/urandom bs=32 count=1 of=jwt_hs256.key");
        }
        this.keys = keys;
        this.foreignKey = Optional.ofNullable(foreignKey).map(byte[]::clone);
        this.clock = clock;
        this.isRevoked = isRevoked;
    }

    /// A token as given to its owner, and what the cluster remembers of it.
    public record Issued(String token, String id, Instant issuedAt, Instant expiresAt) {
        @Override
        public String toString() {
            return "Issued[id=%s, expiresAt=%s]".formatted(id, expiresAt);
        }
    }

    public sealed interface Outcome {}

    /// The token is good. Tokens made by others have no uid and no id.
    ///
    /// @param cloud missing: not one of the cloud's
    public record Verified(
            String user, OptionalLong uid, String id, Instant expiresAt, @Nullable OfCloud cloud)
            implements Outcome {
        public Verified(String user, OptionalLong uid, String id, Instant expiresAt) {
            this(user, uid, id, expiresAt, null);
        }
    }

    /// What a token says that was made for a host of the cloud. Nobody remembers such a token: it
    /// ends soon, and before that with what it stands on.
    ///
    /// @param host to which it was given
    /// @param asAdministrator its user signed in just now
    public record OfCloud(String host, boolean asAdministrator, Instant issuedAt) {}

    /// The token is not good; the reason may be shown to whoever sent it.
    public record Rejected(String because) implements Outcome {}

    public Issued create(String user, long uid, Duration lifespan) {
        if (!lifespan.isPositive()) {
            throw new IllegalArgumentException(
                    "a token must live longer than zero, not " + lifespan);
        }
        var now = Instant.ofEpochSecond(clock.instant().getEpochSecond());
        return issue(user, uid, newId(), now, now.plus(lifespan));
    }

    /// The token that belongs to these words: the same each time.
    public Issued issue(String user, long uid, String id, Instant now, Instant expires) {
        var claims =
                new JWTClaimsSet.Builder()
                        .claim("sun", user)
                        .claim("uid", uid)
                        .jwtID(id)
                        .issueTime(Date.from(now))
                        .expirationTime(Date.from(expires))
                        .build();
        return new Issued(signed(claims), id, now, expires);
    }

    /// For a user of the cloud; see [OfCloud].
    public Issued issueForCloud(String user, long uid, String host, boolean asAdministrator) {
        var now = Instant.ofEpochSecond(clock.instant().getEpochSecond());
        var expires = now.plus(LIFE_IN_CLOUD);
        var claims =
                new JWTClaimsSet.Builder()
                        .claim("sun", user)
                        .claim("uid", uid)
                        .claim(CLOUD_HOST, host)
                        .claim(CLOUD_ADMINISTRATOR, asAdministrator)
                        .issueTime(Date.from(now))
                        .expirationTime(Date.from(expires))
                        .build();
        return new Issued(signed(claims), "", now, expires);
    }

    private String signed(JWTClaimsSet claims) {
        var kid = keys.newestId();
        var jwt =
                new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(kid).build(), claims);
        try {
            jwt.sign(new MACSigner(keys.key(kid).orElseThrow()));
        } catch (JOSEException e) {
            throw new IdentityException("cannot sign a token", e);
        }
        return jwt.serialize();
    }

    public Outcome verify(String token) {
        if (token.length() > LONGEST) {
            return new Rejected("the token is too long");
        }
        try {
            var jwt = SignedJWT.parse(token);
            // Before any key is touched: only HS256, so that no weaker algorithm can be talked
            // into.
            if (!JWSAlgorithm.HS256.equals(jwt.getHeader().getAlgorithm())) {
                return new Rejected("the token is not signed with HS256");
            }
            var kid = jwt.getHeader().getKeyID();
            var own = Optional.ofNullable(kid).flatMap(keys::key);
            var key = own.or(() -> foreignKey);
            if (key.isEmpty()) {
                return new Rejected(
                        kid == null
                                ? "the token was made elsewhere, and no auth.jwt_key is configured"
                                : "the token was signed with a key that this cluster does not have");
            }
            if (!jwt.verify(new MACVerifier(key.get()))) {
                return new Rejected("the token's signature is wrong");
            }
            return verdict(jwt.getJWTClaimsSet(), own.isPresent());
        } catch (ParseException | JOSEException | IllegalArgumentException _) {
            return new Rejected("this is not a token");
        }
    }

    private Outcome verdict(JWTClaimsSet claims, boolean ours) throws ParseException {
        var now = clock.instant();
        var user = claims.getStringClaim("sun");
        if (user == null || user.isBlank()) {
            return new Rejected("the token names no user (claim \"sun\")");
        }
        var expires = claims.getExpirationTime();
        if (expires == null) {
            return new Rejected("the token does not say when it expires");
        }
        if (!now.isBefore(expires.toInstant())) {
            return new Rejected(
                    "the token expired at %s. Get a new one with: spur token create"
                            .formatted(expires.toInstant()));
        }
        var issued = claims.getIssueTime();
        if (issued != null && issued.toInstant().isAfter(now.plus(CLOCK_SKEW))) {
            return new Rejected("the token is from the future: check the clock of whoever made it");
        }
        var notBefore = claims.getNotBeforeTime();
        if (notBefore != null && notBefore.toInstant().isAfter(now.plus(CLOCK_SKEW))) {
            return new Rejected("the token is not valid before " + notBefore.toInstant());
        }
        var id = claims.getJWTID() == null ? "" : claims.getJWTID();
        if (!id.isEmpty() && isRevoked.test(id)) {
            return new Rejected("the token was revoked");
        }
        // Others may say who somebody is, but not which number that is here.
        var uid = ours ? claims.getLongClaim("uid") : null;
        var cloud = ours ? ofCloud(claims) : null;
        if (ours && cloud == null && id.isEmpty()) {
            return new Rejected("the token has no id by which it could be revoked");
        }
        return new Verified(
                user,
                uid == null ? OptionalLong.empty() : OptionalLong.of(uid),
                id,
                expires.toInstant(),
                cloud);
    }

    private static @Nullable OfCloud ofCloud(JWTClaimsSet claims) throws ParseException {
        var host = claims.getStringClaim(CLOUD_HOST);
        var issued = claims.getIssueTime();
        return host == null || issued == null
                ? null
                : new OfCloud(
                        host,
                        Boolean.TRUE.equals(claims.getBooleanClaim(CLOUD_ADMINISTRATOR)),
                        issued.toInstant());
    }

    /// The id that belongs to a request: whoever is asked again makes the same token.
    public static String idOf(String request) {
        var hash = Pem.sha256(request.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(hash, 0, ID_BYTES);
    }

    public static String newId() {
        var random = new byte[ID_BYTES];
        RANDOM.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
