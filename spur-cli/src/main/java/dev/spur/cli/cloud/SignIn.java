package dev.spur.cli.cloud;

import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/// Without a browser: a password gets an API token, which is what is kept; or somebody has one
/// already and pastes it.
final class SignIn {
    private static final int DAYS = 90;

    private final Invocation in;
    private final CloudClient client;

    SignIn(Invocation in, CloudClient client) {
        this.in = in;
        this.client = client;
    }

    Keyring.Key byToken() {
        var token = asked("API token: ", false).strip();
        if (token.isEmpty()) {
            throw new Failure("no token was given");
        }
        return key(token);
    }

    Keyring.Key byPassword(String email) {
        var address = email.isEmpty() ? asked("E-mail: ", true).strip() : email;
        var password = asked("Password: ", false);
        var session = session(address, password);
        var browserless = client.with(session.path("token").asString(""));
        var isAdmin = session.path("user").path("is_admin").asBoolean(false);
        var scopes =
                isAdmin
                        ? List.of("read", "sessions", "account", "billing", "admin")
                        : List.of("read", "sessions", "account", "billing");
        var made =
                browserless.send(
                        "POST",
                        "/api/users/me/tokens",
                        Map.of(
                                "name",
                                "spur cloud login",
                                "scopes",
                                scopes,
                                "expires_in_days",
                                DAYS));
        browserless.send("POST", "/api/auth/logout", null);
        return key(made.path("token").asString(""));
    }

    private JsonNode session(String email, String password) {
        var wish = new LinkedHashMap<String, Object>();
        wish.put("email", email);
        wish.put("password", password);
        try {
            return client.send("POST", "/api/auth/login", wish);
        } catch (CloudClient.Refusal refusal) {
            if (!refusal.code().equals("second-factor-needed")) {
                throw refusal;
            }
            wish.put("code", asked("Code of your second factor: ", true).strip());
            return client.send("POST", "/api/auth/login", wish);
        }
    }

    private Keyring.Key key(String token) {
        var me = client.with(token).get("/api/users/me", Map.of());
        return new Keyring.Key(client.url(), token, me.path("email").asString(""));
    }

    /// @param isShown whether it may stand on the screen
    private String asked(String prompt, boolean isShown) {
        var isTerminal = in.terminal().isTerminal(dev.spur.cli.Terminal.INPUT);
        if (isTerminal) {
            in.err().print(prompt);
        }
        var isHidden = isTerminal && !isShown && echo("-echo");
        try {
            return line();
        } finally {
            if (isHidden) {
                echo("echo");
                in.err().println("");
            }
        }
    }

    private boolean echo(String how) {
        try {
            return in.children().spawn(List.of("stty", how), in.environment()).waitFor().code()
                    == 0;
        } catch (IOException | RuntimeException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private String line() {
        var bytes = new ByteArrayOutputStream();
        try {
            for (var next = in.input().read();
                    next >= 0 && next != '\n';
                    next = in.input().read()) {
                if (bytes.size() >= 4096) {
                    throw new Failure("that is too long");
                }
                bytes.write(next);
            }
        } catch (IOException e) {
            throw new Failure("the answer cannot be read: " + e.getMessage());
        }
        var text = bytes.toString(in.charset());
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }
}
