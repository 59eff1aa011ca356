package dev.spur.runtime.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokensTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final byte[] SITE_KEY =
            "a key that the site has chosen for itself".getBytes(StandardCharsets.UTF_8);

    @TempDir Path state;
    private final Set<String> revoked = new HashSet<>();
    private Instant now = START;
    private final InstantSource clock = () -> now;
    private SigningKeys keys;
    private Tokens tokens;

    @BeforeEach
    void openTheKeys() {
        keys = SigningKeys.openOrCreate(state, now);
        tokens = new Tokens(keys, SITE_KEY, clock, revoked::contains);
    }

    @Test
    void tokenNamesItsUserUntilItExpires() {
        var issued = tokens.create("alice", 1000, Duration.ofHours(1));

        assertThat(tokens.verify(issued.token()))
                .isEqualTo(
                        new Tokens.Verified(
                                "alice",
                                OptionalLong.of(1000),
                                issued.id(),
                                START.plus(Duration.ofHours(1))));
        now = START.plus(Duration.ofHours(1));
        assertThat(because(tokens.verify(issued.token())))
                .contains("expired")
                .contains("spur token create");
    }

    @Test
    void userIsInSlurmsClaim() throws Exception {
        var issued = tokens.create("alice", 1000, Duration.ofHours(1));

        var claims = SignedJWT.parse(issued.token()).getJWTClaimsSet();

        assertThat(claims.getStringClaim("sun")).isEqualTo("alice");
        assertThat(claims.getExpirationTime()).isEqualTo(Date.from(issued.expiresAt()));
    }

    @Test
    void revokedTokenIsRefused() {
        var issued = tokens.create("alice", 1000, Duration.ofHours(1));
        revoked.add(issued.id());

        assertThat(because(tokens.verify(issued.token()))).isEqualTo("the token was revoked");
    }

    @Test
    void tokensOutliveARotationOfKeysAndARestart() {
        var old = tokens.create("alice", 1000, Duration.ofHours(1));
        now = now.plusSeconds(10);
        keys.rotate(now);
        var young = tokens.create("bob", 1001, Duration.ofHours(1));

        var restarted =
                new Tokens(SigningKeys.openOrCreate(state, now), null, clock, revoked::contains);

        assertThat(restarted.verify(old.token())).isInstanceOf(Tokens.Verified.class);
        assertThat(restarted.verify(young.token())).isInstanceOf(Tokens.Verified.class);
    }

    @Test
    void bareTokenOfSlurmsToolsIsAcceptedUnderTheConfiguredKeyButItsUidIsNot() throws Exception {
        var token = foreign(SITE_KEY, 0);

        assertThat(tokens.verify(token))
                .isEqualTo(
                        new Tokens.Verified(
                                "alice", OptionalLong.empty(), "", START.plusSeconds(60)));
    }

    @Test
    void foreignTokenIsRefusedWithoutAConfiguredKey() throws Exception {
        var strict = new Tokens(keys, null, clock, revoked::contains);

        assertThat(because(strict.verify(foreign(SITE_KEY, 1000))))
                .contains("no auth.jwt_key is configured");
    }

    @Test
    void forgedTokensAreRefused() throws Exception {
        var forgedKey =
                foreign(
                        "another key, which has enough bytes as well"
                                .getBytes(StandardCharsets.UTF_8),
                        1000);
        var unsigned =
                new PlainJWT(new JWTClaimsSet.Builder().claim("sun", "alice").build()).serialize();
        var genuine = tokens.create("alice", 1000, Duration.ofHours(1)).token();
        var parts = genuine.split("\\.", -1);
        var other = tokens.create("root", 0, Duration.ofHours(1)).token().split("\\.", -1);

        assertThat(because(tokens.verify(forgedKey))).isEqualTo("the token's signature is wrong");
        assertThat(because(tokens.verify(unsigned))).isEqualTo("this is not a token");
        assertThat(because(tokens.verify(parts[0] + "." + other[1] + "." + parts[2])))
                .isEqualTo("the token's signature is wrong");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a.b.c", "eyJhbGciOiJIUzI1NiJ9..", "\u0000", "Bearer x"})
    void garbageIsNoToken(String garbage) {
        assertThat(because(tokens.verify(garbage))).isEqualTo("this is not a token");
    }

    @Test
    void configuredKeyThatIsTooShortIsRefusedAtOnce() {
        assertThatThrownBy(() -> new Tokens(keys, new byte[8], clock, revoked::contains))
                .hasMessageContaining("auth.jwt_key is too short");
    }

    private static String because(Tokens.Outcome outcome) {
        assertThat(outcome).isInstanceOf(Tokens.Rejected.class);
        return ((Tokens.Rejected) outcome).because();
    }

    private static String foreign(byte[] key, long uid) throws JOSEException {
        var claims =
                new JWTClaimsSet.Builder()
                        .claim("sun", "alice")
                        .claim("uid", uid)
                        .issueTime(Date.from(START))
                        .expirationTime(Date.from(START.plusSeconds(60)))
                        .build();
        var jwt = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
        jwt.sign(new MACSigner(key));
        return jwt.serialize();
    }
}
