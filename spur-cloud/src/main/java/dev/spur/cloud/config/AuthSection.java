package dev.spur.cloud.config;

import dev.spur.runtime.config.Key;
import dev.spur.runtime.config.Means;
import dev.spur.runtime.config.Rules;
import dev.spur.runtime.config.Secret;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/// `[auth]` in spur-cloud.toml.
///
/// @param jwtExpiryHours a login that nobody uses for so long ends; the tokens themselves live for
///   `access_minutes` and are renewed
public record AuthSection(
        @Means("What platform tokens are signed with, at least 32 characters") Secret jwtSecret,
        @Means("After how long without use a login ends") int jwtExpiryHours,
        @Means("How long one platform token is valid before it is renewed") @Key("access_minutes")
                Duration access,
        @Means(
                        "Who may make an account: nobody (closed), who was invited (invite), everybody (open)")
                Registration registration,
        @Means("Only addresses of these domains may register; empty: all")
                List<String> registrationDomains,
        Local local,
        Github github,
        Okta okta) {

    private static final int SHORTEST_SECRET = 32;
    private static final List<String> SAMPLES =
            List.of("generate-with-openssl-rand-hex-32", "change-me", "changeme");

    public static final AuthSection DEFAULTS =
            new AuthSection(
                    Secret.parse(""),
                    24,
                    Duration.ofMinutes(15),
                    Registration.CLOSED,
                    List.of(),
                    Local.DEFAULTS,
                    Github.DEFAULTS,
                    Okta.DEFAULTS);

    /// Who may make an account.
    public enum Registration {
        CLOSED,
        INVITE,
        OPEN
    }

    public AuthSection {
        registrationDomains =
                registrationDomains.stream().map(d -> d.toLowerCase(Locale.ROOT)).toList();
        new Rules()
                .between(1, jwtExpiryHours, 24 * 366, "jwt_expiry_hours")
                .between(1, access.toMinutes(), 24 * 60, "access_minutes")
                .check();
    }

    /// Whether the secret is one that nobody can guess.
    public boolean hasSoundSecret() {
        var text = jwtSecret.reveal();
        return text.length() >= SHORTEST_SECRET
                && SAMPLES.stream()
                        .noneMatch(sample -> text.toLowerCase(Locale.ROOT).contains(sample))
                && text.chars().distinct().count() > 4;
    }

    /// `[auth.local]`: e-mail and password.
    public record Local(
            @Means("Whether people sign in with e-mail and password") boolean enabled,
            @Means("Memory of one Argon2id hash, in KiB") int memoryKib,
            @Means("Passes over it") int iterations) {
        public static final Local DEFAULTS = new Local(true, 19_456, 2);

        public Local {
            new Rules()
                    .between(8192, memoryKib, 1 << 20, "memory_kib")
                    .between(1, iterations, 100, "iterations")
                    .check();
        }
    }

    /// `[auth.github]`. Without a client_id there is none.
    public record Github(
            @Means("Whether people sign in by GitHub") boolean enabled,
            @Means("Of the OAuth app") String clientId,
            @Means("Of the OAuth app") Secret clientSecret,
            @Means("Where GitHub is; of an Enterprise Server its own address") String baseUrl,
            @Means("Where its API is; of an Enterprise Server https://HOST/api/v3") String apiUrl,
            @Means("Only members of these organisations may sign in; empty: everybody")
                    List<String> allowedOrganizations) {
        public static final Github DEFAULTS =
                new Github(
                        true,
                        "",
                        Secret.parse(""),
                        "https://github.com",
                        "https://api.github.com",
                        List.of());

        public Github {
            allowedOrganizations = List.copyOf(allowedOrganizations);
            baseUrl = withoutSlash(baseUrl);
            apiUrl = withoutSlash(apiUrl);
            new Rules()
                    .require(
                            clientId.isEmpty() || !enabled || !clientSecret.isEmpty(),
                            "client_secret",
                            "is missing")
                    .check();
        }

        public boolean isOn() {
            return enabled && !clientId.isEmpty();
        }
    }

    /// `[auth.okta]`: Okta, or any other provider of OpenID Connect. Without an issuer there is
    /// none.
    public record Okta(
            @Means("Whether people sign in by this provider") boolean enabled,
            @Means("The provider's address, below which it describes itself") String issuer,
            @Means("Of the application there") String clientId,
            @Means("Of the application there") Secret clientSecret,
            @Means(
                            "Members of these groups are administrators, others are not; empty: groups decide nothing")
                    List<String> adminGroups,
            @Means("Only members of these groups may sign in; empty: everybody")
                    List<String> allowedGroups,
            @Means("What is asked for") List<String> scopes,
            @Means("What the button says") String displayName) {
        public static final Okta DEFAULTS =
                new Okta(
                        true,
                        "",
                        "",
                        Secret.parse(""),
                        List.of(),
                        List.of(),
                        List.of("openid", "email", "profile", "groups"),
                        "Okta");

        public Okta {
            adminGroups = List.copyOf(adminGroups);
            allowedGroups = List.copyOf(allowedGroups);
            scopes = List.copyOf(scopes);
            issuer = withoutSlash(issuer);
            new Rules()
                    .require(
                            issuer.isEmpty() || !enabled || !clientId.isEmpty(),
                            "client_id",
                            "is missing")
                    .require(
                            issuer.isEmpty() || !enabled || !clientSecret.isEmpty(),
                            "client_secret",
                            "is missing")
                    .require(scopes.contains("openid"), "scopes", "must contain \"openid\"")
                    .check();
        }

        public boolean isOn() {
            return enabled && !issuer.isEmpty();
        }
    }

    private static String withoutSlash(String address) {
        return address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
    }
}
