package dev.spur.cloud.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.spur.cloud.users.Person;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.Optional;
import java.util.UUID;

/// The platform's own tokens, the same for every way of signing in: JWT, HS256, short-lived. What a
/// token says of its owner is for programs that show it; what counts is the login that it names,
/// which is looked up each time.
final class PlatformTokens {
    private static final String AUDIENCE = "spur-cloud";
    private static final int LONGEST = 4096;
    private static final Duration SKEW = Duration.ofSeconds(5);

    private final byte[] secret;
    private final String issuer;
    private final Duration lifespan;
    private final InstantSource clock;

    PlatformTokens(String secret, String issuer, Duration lifespan, InstantSource clock) {
        this.secret = secret.getBytes(StandardCharsets.UTF_8);
        this.issuer = issuer;
        this.lifespan = lifespan;
        this.clock = clock;
    }

    record Issued(String token, Instant expiresAt) {}

    Issued issue(Person person, UUID login) {
        var now = Instant.ofEpochSecond(clock.instant().getEpochSecond());
        var expires = now.plus(lifespan);
        var claims =
                new JWTClaimsSet.Builder()
                        .issuer(issuer)
                        .audience(AUDIENCE)
                        .subject(person.id().toString())
                        .claim("email", person.email())
                        .claim("username", person.username())
                        .claim("admin", person.isAdmin())
                        .claim("sid", login.toString())
                        .jwtID(UUID.randomUUID().toString())
                        .issueTime(Date.from(now))
                        .expirationTime(Date.from(expires))
                        .build();
        var jwt = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
        try {
            jwt.sign(new MACSigner(secret));
        } catch (JOSEException e) {
            throw new IllegalStateException("cannot sign a token", e);
        }
        return new Issued(jwt.serialize(), expires);
    }

    /// The login that a token names, if the token is ours and not over.
    Optional<UUID> login(String token) {
        if (token.length() > LONGEST) {
            return Optional.empty();
        }
        try {
            var jwt = SignedJWT.parse(token);
            // Before the key is touched: no other algorithm, "none" least of all.
            if (!JWSAlgorithm.HS256.equals(jwt.getHeader().getAlgorithm())
                    || !jwt.verify(new MACVerifier(secret))) {
                return Optional.empty();
            }
            var claims = jwt.getJWTClaimsSet();
            var expires = claims.getExpirationTime();
            var isGood =
                    issuer.equals(claims.getIssuer())
                            && claims.getAudience().contains(AUDIENCE)
                            && expires != null
                            && clock.instant().isBefore(expires.toInstant().plus(SKEW));
            var login = claims.getStringClaim("sid");
            return isGood && login != null ? Optional.of(UUID.fromString(login)) : Optional.empty();
        } catch (ParseException | JOSEException | IllegalArgumentException _) {
            return Optional.empty();
        }
    }
}
