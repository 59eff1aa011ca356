package dev.spur.cloud.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import dev.spur.cloud.config.AuthSection;
import dev.spur.runtime.http.Problem;
import java.net.MalformedURLException;
import java.net.URI;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A provider of OpenID Connect, such as Okta: found by its own description, believed by the
/// signature of its ID tokens only.
final class OpenIdConnect implements ExternalProvider {
    /// Signatures with the provider's private key. Never "none", and never the client's secret.
    private static final Set<JWSAlgorithm> ALGORITHMS =
            Set.of(
                    JWSAlgorithm.RS256,
                    JWSAlgorithm.RS384,
                    JWSAlgorithm.RS512,
                    JWSAlgorithm.PS256,
                    JWSAlgorithm.ES256,
                    JWSAlgorithm.ES384,
                    JWSAlgorithm.ES512);

    private static final Duration SKEW = Duration.ofSeconds(60);
    private static final Duration DESCRIPTION_LIFE = Duration.ofHours(1);

    private final AuthSection.Okta config;
    private final String callback;
    private final InstantSource clock;
    private final ProviderClient http = new ProviderClient("The sign-in provider");
    private volatile @Nullable Description description;

    OpenIdConnect(AuthSection.Okta config, String publicUrl, InstantSource clock) {
        this.config = config;
        this.callback = publicUrl + "/api/auth/okta/callback";
        this.clock = clock;
    }

    /// What a provider says of itself, and its keys, which are fetched again when one is missing.
    private record Description(
            String authorizationEndpoint,
            String tokenEndpoint,
            DefaultJWTProcessor<SecurityContext> processor,
            Instant readAt) {}

    @Override
    public String name() {
        return "okta";
    }

    @Override
    public URI authorization(String state, String challenge, String nonce) {
        var query = new LinkedHashMap<String, String>();
        query.put("response_type", "code");
        query.put("client_id", config.clientId());
        query.put("redirect_uri", callback);
        query.put("scope", String.join(" ", config.scopes()));
        query.put("state", state);
        query.put("nonce", nonce);
        query.put("code_challenge", challenge);
        query.put("code_challenge_method", "S256");
        var endpoint = described().authorizationEndpoint();
        return URI.create(
                endpoint + (endpoint.contains("?") ? "&" : "?") + ProviderClient.encoded(query));
    }

    @Override
    public Claims redeem(String code, String verifier, String nonce) {
        var provider = described();
        var form = new LinkedHashMap<String, String>();
        form.put("grant_type", "authorization_code");
        form.put("client_id", config.clientId());
        form.put("client_secret", config.clientSecret().reveal());
        form.put("code", code);
        form.put("redirect_uri", callback);
        form.put("code_verifier", verifier);
        var granted = http.post(provider.tokenEndpoint(), form, Map.of());
        var token = granted.path("id_token").asString("");
        return claims(verified(provider, token, nonce));
    }

    private JWTClaimsSet verified(Description provider, String token, String nonce) {
        try {
            var claims = provider.processor().process(SignedJWT.parse(token), null);
            require(config.issuer().equals(withoutSlash(claims.getIssuer())), "another issuer");
            require(claims.getAudience().contains(config.clientId()), "another audience");
            var azp = claims.getStringClaim("azp");
            require(
                    azp == null ? claims.getAudience().size() == 1 : azp.equals(config.clientId()),
                    "another authorized party");
            var now = clock.instant();
            var expires = claims.getExpirationTime();
            require(expires != null && now.isBefore(expires.toInstant().plus(SKEW)), "it is over");
            var issued = claims.getIssueTime();
            require(
                    issued != null && !issued.toInstant().isAfter(now.plus(SKEW)),
                    "it is from the future");
            require(nonce.equals(claims.getStringClaim("nonce")), "another nonce");
            require(claims.getSubject() != null && !claims.getSubject().isBlank(), "no subject");
            return claims;
        } catch (ParseException | BadJOSEException | JOSEException e) {
            throw untrusted().causedBy(e);
        }
    }

    private static void require(boolean holds, String otherwise) throws BadJOSEException {
        if (!holds) {
            throw new BadJOSEException("ID token: " + otherwise);
        }
    }

    private static Problem untrusted() {
        return Problem.of(
                403,
                "id-token-refused",
                "What the sign-in provider says of you cannot be trusted.",
                "Try again. If it stays so, tell your administrator.");
    }

    private Claims claims(JWTClaimsSet claims) {
        try {
            var groups = groups(claims);
            if (!config.allowedGroups().isEmpty()
                    && groups.stream().noneMatch(config.allowedGroups()::contains)) {
                throw Problem.of(
                        403,
                        "not-a-member",
                        "You are in none of the groups that are let in here.",
                        "Ask an administrator.");
            }
            var email = claims.getStringClaim("email");
            var isVerified = !Boolean.FALSE.equals(claims.getBooleanClaim("email_verified"));
            var name = claims.getStringClaim("preferred_username");
            return new Claims(
                    claims.getSubject(),
                    isVerified ? email : null,
                    name != null ? name : Objects.requireNonNullElse(email, "user"),
                    claims.getStringClaim("name"),
                    null,
                    config.adminGroups().isEmpty()
                            ? null
                            : groups.stream().anyMatch(config.adminGroups()::contains));
        } catch (ParseException e) {
            throw untrusted().causedBy(e);
        }
    }

    private static List<String> groups(JWTClaimsSet claims) throws ParseException {
        var groups = claims.getStringListClaim("groups");
        return groups == null ? List.of() : groups;
    }

    private Description described() {
        var known = description;
        if (known == null || known.readAt().plus(DESCRIPTION_LIFE).isBefore(clock.instant())) {
            known = describe();
            description = known;
        }
        return known;
    }

    private Description describe() {
        var said = http.get(config.issuer() + "/.well-known/openid-configuration", Map.of());
        if (!config.issuer().equals(withoutSlash(said.path("issuer").asString("")))) {
            throw Problem.of(
                    502,
                    "provider-failed",
                    "The sign-in provider calls itself by another name than auth.okta.issuer.",
                    "Tell your administrator.");
        }
        return new Description(
                said.path("authorization_endpoint").asString(""),
                said.path("token_endpoint").asString(""),
                processor(said.path("jwks_uri").asString("")),
                clock.instant());
    }

    /// Times are checked by our own clock, so the library's check of claims is replaced.
    private static DefaultJWTProcessor<SecurityContext> processor(String keys) {
        try {
            JWKSource<SecurityContext> source =
                    JWKSourceBuilder.create(URI.create(keys).toURL()).retrying(true).build();
            var processor = new DefaultJWTProcessor<SecurityContext>();
            processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, source));
            processor.setJWTClaimsSetVerifier((_, _) -> {});
            return processor;
        } catch (MalformedURLException | IllegalArgumentException e) {
            throw Problem.of(
                            502,
                            "provider-failed",
                            "The sign-in provider does not say where its keys are.",
                            "Tell your administrator.")
                    .causedBy(e);
        }
    }

    private static String withoutSlash(@Nullable String address) {
        var text = Objects.requireNonNullElse(address, "");
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }
}
