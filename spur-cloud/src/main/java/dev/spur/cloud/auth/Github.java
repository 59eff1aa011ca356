package dev.spur.cloud.auth;

import dev.spur.cloud.config.AuthSection;
import dev.spur.runtime.http.Problem;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// GitHub's OAuth2, also that of an Enterprise Server.
final class Github implements ExternalProvider {
    private final AuthSection.Github config;
    private final String callback;
    private final ProviderClient http = new ProviderClient("GitHub");

    Github(AuthSection.Github config, String publicUrl) {
        this.config = config;
        this.callback = publicUrl + "/api/auth/github/callback";
    }

    @Override
    public String name() {
        return "github";
    }

    @Override
    public URI authorization(String state, String challenge, String nonce) {
        var query = new LinkedHashMap<String, String>();
        query.put("client_id", config.clientId());
        query.put("redirect_uri", callback);
        query.put(
                "scope",
                config.allowedOrganizations().isEmpty() ? "user:email" : "user:email read:org");
        query.put("state", state);
        query.put("code_challenge", challenge);
        query.put("code_challenge_method", "S256");
        return URI.create(
                config.baseUrl() + "/login/oauth/authorize?" + ProviderClient.encoded(query));
    }

    @Override
    public Claims redeem(String code, String verifier, String nonce) {
        var form = new LinkedHashMap<String, String>();
        form.put("client_id", config.clientId());
        form.put("client_secret", config.clientSecret().reveal());
        form.put("code", code);
        form.put("redirect_uri", callback);
        form.put("code_verifier", verifier);
        var granted = http.post(config.baseUrl() + "/login/oauth/access_token", form, Map.of());
        var token = granted.path("access_token").asString("");
        if (token.isEmpty()) {
            throw Problem.of(
                    403, "provider-refused", "GitHub did not accept the sign-in.", "Try again.");
        }
        var headers = Map.of("Authorization", "Bearer " + token);
        var user = http.get(config.apiUrl() + "/user", headers);
        var id = user.path("id");
        if (!id.isIntegralNumber()) {
            throw Problem.of(
                    502, "provider-failed", "GitHub did not say who you are.", "Try again.");
        }
        requireMembership(headers);
        return new Claims(
                id.asString(),
                verifiedEmail(http.get(config.apiUrl() + "/user/emails", headers)),
                user.path("login").asString("user"),
                text(user, "name"),
                text(user, "avatar_url"),
                null);
    }

    private void requireMembership(Map<String, String> headers) {
        if (config.allowedOrganizations().isEmpty()) {
            return;
        }
        for (var organization : http.get(config.apiUrl() + "/user/orgs?per_page=100", headers)) {
            var login = organization.path("login").asString("");
            if (config.allowedOrganizations().stream().anyMatch(login::equalsIgnoreCase)) {
                return;
            }
        }
        throw Problem.of(
                403,
                "not-a-member",
                "You are in none of the GitHub organisations that are let in here.",
                "Ask an administrator.");
    }

    private static @Nullable String verifiedEmail(JsonNode emails) {
        for (var email : emails) {
            if (email.path("primary").asBoolean(false) && email.path("verified").asBoolean(false)) {
                return text(email, "email");
            }
        }
        return null;
    }

    private static @Nullable String text(JsonNode node, String field) {
        var value = node.path(field);
        return value.isString() && !value.stringValue().isBlank() ? value.stringValue() : null;
    }
}
