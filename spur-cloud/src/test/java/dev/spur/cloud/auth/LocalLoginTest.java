package dev.spur.cloud.auth;

import static dev.spur.cloud.TestCloud.PASSWORD;
import static dev.spur.cloud.TestCloud.by;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cloud.TestCloud;
import dev.spur.runtime.http.Json;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// M09 and M12: people with a password, and the token that all ways of signing in end with.
class LocalLoginTest {
    private final TestCloud cloud = TestCloud.start();

    @AfterEach
    void stop() {
        cloud.close();
    }

    @Test
    void whoeverHoldsTheLinkOfTheFirstStartBecomesAdministratorOnce() throws Exception {
        var file = cloud.state().resolve("admin-link");
        assertThat(Files.getPosixFilePermissions(file))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        var link = Files.readString(file).strip();

        var administrator = cloud.administrator();

        assertThat(
                        cloud.get("/api/users/me", by(administrator))
                                .json()
                                .path("is_admin")
                                .asBoolean())
                .isTrue();
        var again =
                cloud.post(
                        "/api/auth/setup",
                        Map.of(
                                "code",
                                link.substring(link.indexOf("code=") + 5),
                                "email",
                                "other@example.com",
                                "username",
                                "other",
                                "password",
                                PASSWORD));
        assertThat(again.status()).isEqualTo(403);
        assertThat(again.text("code")).isEqualTo("code-over");
        cloud.restart();
        assertThat(file).doesNotExist();
    }

    @Test
    void theLinkIsWorthNothingAfterAnHour() {
        cloud.advance(Duration.ofMinutes(61));

        assertThat(org.assertj.core.api.Assertions.catchThrowable(cloud::administrator))
                .hasMessageContaining("code-over");
    }

    @Test
    void nobodyRegistersBeforeThereIsAnAdministratorNorAfterwardsWithoutAnInvitation() {
        var wish = Map.of("email", "a@example.com", "username", "a", "password", PASSWORD);

        assertThat(cloud.post("/api/auth/register", wish).text("code"))
                .isEqualTo("registration-closed");
        var administrator = cloud.administrator();
        assertThat(cloud.post("/api/auth/register", wish).text("code"))
                .isEqualTo("registration-closed");

        assertThat(cloud.user("alice", administrator)).isNotEmpty();
    }

    @Test
    void loginAnswersAsTheTableOfTheApiSaysWithTheTokenInTheBody() {
        cloud.administrator();

        var reply =
                cloud.post(
                        "/api/auth/login",
                        Map.of("email", " Root@Example.com ", "password", PASSWORD));

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json().at("/user/email").asString()).isEqualTo("root@example.com");
        assertThat(reply.json().at("/user/is_admin").asBoolean()).isTrue();
        assertThat(cloud.get("/api/users/me", by(reply.text("token"))).status()).isEqualTo(200);
    }

    @Test
    void nobodyLearnsWhichAddressesHaveAccounts() {
        var administrator = cloud.administrator();
        cloud.user("alice", administrator);

        var wrong =
                cloud.post(
                        "/api/auth/login",
                        Map.of("email", "alice@example.com", "password", "wrong password"));
        var unknown =
                cloud.post(
                        "/api/auth/login",
                        Map.of("email", "nobody@example.com", "password", "wrong password"));

        assertThat(wrong.status()).isEqualTo(401).isEqualTo(unknown.status());
        assertThat(wrong.text("detail")).isEqualTo(unknown.text("detail"));
        assertThat(wrong.text("code")).isEqualTo(unknown.text("code"));
    }

    @Test
    void whoeverGuessesIsSlowedDownWhetherThereIsAnAccountOrNot() {
        cloud.administrator();
        for (var email : List.of("root@example.com", "nobody@example.com")) {
            for (var i = 0; i < 10; i++) {
                cloud.post("/api/auth/login", Map.of("email", email, "password", "guess-" + i));
            }
            var refused =
                    cloud.post("/api/auth/login", Map.of("email", email, "password", PASSWORD));
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.whole().headers().firstValue("Retry-After")).isPresent();
        }

        cloud.advance(Duration.ofMinutes(6));
        assertThat(
                        cloud.post(
                                        "/api/auth/login",
                                        Map.of("email", "root@example.com", "password", PASSWORD))
                                .status())
                .isEqualTo(200);
    }

    @Test
    void hashesOfAnOlderPolicyAreMadeAnewAtTheNextLogin() {
        cloud.administrator();
        var old = new Passwords(new dev.spur.cloud.config.AuthSection.Local(true, 16_384, 2));
        cloud.db()
                .useHandle(
                        h -> h.execute("update person set password_hash = ?", old.hash(PASSWORD)));

        cloud.post("/api/auth/login", Map.of("email", "root@example.com", "password", PASSWORD));

        var hash =
                cloud.db()
                        .withHandle(h ->
                                h.createQuery("select password_hash from person")
                                        .mapTo(String.class)
                                        .one());
        assertThat(hash).startsWith("$argon2id$v=19$m=8192,t=1,p=1$");
    }

    @Test
    void aRefreshTokenWorksOnceAndACopiedOneEndsTheLogin() {
        cloud.administrator();
        var first =
                cloud.post(
                        "/api/auth/login",
                        Map.of("email", "root@example.com", "password", PASSWORD));

        var second =
                cloud.post(
                        "/api/auth/refresh", Map.of("refresh_token", first.text("refresh_token")));
        assertThat(second.status()).isEqualTo(200);
        assertThat(
                        cloud.post(
                                        "/api/auth/refresh",
                                        Map.of("refresh_token", first.text("refresh_token")))
                                .text("code"))
                .isEqualTo("refresh-raced");

        cloud.advance(Duration.ofSeconds(30));
        assertThat(
                        cloud.post(
                                        "/api/auth/refresh",
                                        Map.of("refresh_token", first.text("refresh_token")))
                                .status())
                .isEqualTo(401);
        assertThat(cloud.get("/api/users/me", by(second.text("token"))).status()).isEqualTo(401);
        assertThat(
                        cloud.post(
                                        "/api/auth/refresh",
                                        Map.of("refresh_token", second.text("refresh_token")))
                                .status())
                .isEqualTo(401);
    }

    @Test
    void tokensEndSoonAndAreRefusedWhenForgedOrUnsigned() {
        cloud.administrator();
        var token =
                cloud.post(
                                "/api/auth/login",
                                Map.of("email", "root@example.com", "password", PASSWORD))
                        .text("token");
        var parts = token.split("\\.", -1);
        var none = encoded("{\"alg\":\"none\"}") + "." + parts[1] + ".";
        var claims =
                new String(
                        Base64.getUrlDecoder().decode(parts[1]),
                        java.nio.charset.StandardCharsets.UTF_8);

        assertThat(claims).contains("\"sub\"").contains("\"jti\"").contains("\"aud\"");
        assertThat(cloud.get("/api/users/me", by(none)).status()).isEqualTo(401);
        assertThat(
                        cloud.get(
                                        "/api/users/me",
                                        by(parts[0] + "." + parts[1] + "." + encoded("x")))
                                .status())
                .isEqualTo(401);
        cloud.advance(Duration.ofMinutes(16));
        assertThat(cloud.get("/api/users/me", by(token)).status()).isEqualTo(401);
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    @Test
    void whoeverIsDemotedOrDisabledHasLostItWithTheNextRequest() {
        var administrator = cloud.administrator();
        var alice = cloud.user("alice", administrator);
        var id = cloud.get("/api/users/me", by(alice)).text("id");
        cloud.send("PATCH", "/api/admin/users/" + id, Map.of("is_admin", true), by(administrator));
        assertThat(cloud.get("/api/admin/users", by(alice)).status()).isEqualTo(200);

        cloud.send("PATCH", "/api/admin/users/" + id, Map.of("is_admin", false), by(administrator));
        assertThat(cloud.get("/api/admin/users", by(alice)).status()).isEqualTo(403);

        cloud.send(
                "PATCH", "/api/admin/users/" + id, Map.of("is_active", false), by(administrator));
        assertThat(cloud.get("/api/users/me", by(alice)).status()).isEqualTo(401);
    }

    @Test
    void theLastAdministratorStaysOne() {
        var administrator = cloud.administrator();
        var id = cloud.get("/api/users/me", by(administrator)).text("id");

        var reply =
                cloud.send(
                        "PATCH",
                        "/api/admin/users/" + id,
                        Map.of("is_admin", false),
                        by(administrator));

        assertThat(reply.text("code")).isEqualTo("last-administrator");
    }

    @Test
    void browsersNeedTheHeaderThatOnlyOurPagesCanSend() {
        cloud.administrator();
        var login =
                cloud.post(
                        "/api/auth/login",
                        Map.of("email", "root@example.com", "password", PASSWORD));
        var cookies = "spur_access=" + login.cookie("spur_access").orElseThrow();
        assertThat(login.whole().headers().allValues("Set-Cookie"))
                .anyMatch(line -> line.startsWith("spur_access=") && line.contains("HttpOnly"));

        assertThat(cloud.get("/api/users/me", "Cookie", cookies).status()).isEqualTo(200);
        var change = Map.of("display_name", "Root");
        assertThat(cloud.send("PATCH", "/api/users/me", change, "Cookie", cookies).text("code"))
                .isEqualTo("csrf");
        assertThat(
                        cloud.send(
                                        "PATCH",
                                        "/api/users/me",
                                        change,
                                        "Cookie",
                                        cookies,
                                        "X-CSRF-Token",
                                        login.text("csrf_token"))
                                .status())
                .isEqualTo(200);
    }

    @Test
    void aSecondFactorIsAskedForAndEachCodeCountsOnce() {
        var administrator = cloud.administrator();
        var secret = cloud.post("/api/auth/totp", Map.of(), by(administrator)).text("secret");
        var step = cloud.now().getEpochSecond() / 30;
        var on =
                cloud.post(
                        "/api/auth/totp/confirm",
                        Map.of("code", SecondFactor.code(secret, step)),
                        by(administrator));
        assertThat(on.status()).isEqualTo(200);
        var recovery = on.json().at("/recovery_codes/0").asString();

        var credentials = Map.of("email", "root@example.com", "password", PASSWORD);
        assertThat(cloud.post("/api/auth/login", credentials).text("code"))
                .isEqualTo("second-factor-needed");
        cloud.advance(Duration.ofSeconds(30));
        var code = SecondFactor.code(secret, step + 1);
        assertThat(cloud.post("/api/auth/login", with(credentials, code)).status()).isEqualTo(200);
        assertThat(cloud.post("/api/auth/login", with(credentials, code)).text("code"))
                .isEqualTo("second-factor-wrong");
        assertThat(cloud.post("/api/auth/login", with(credentials, recovery)).status())
                .isEqualTo(200);
        assertThat(cloud.post("/api/auth/login", with(credentials, recovery)).text("code"))
                .isEqualTo("second-factor-wrong");
    }

    private static Map<String, String> with(Map<String, String> credentials, String code) {
        return Map.of(
                "email",
                credentials.get("email"),
                "password",
                credentials.get("password"),
                "code",
                code);
    }

    @Test
    void aChangedPasswordEndsAllOtherLogins() {
        var administrator = cloud.administrator();
        var other =
                cloud.post(
                                "/api/auth/login",
                                Map.of("email", "root@example.com", "password", PASSWORD))
                        .text("token");

        var reply =
                cloud.post(
                        "/api/auth/password",
                        Map.of("current", PASSWORD, "password", "another good password"),
                        by(administrator));

        assertThat(reply.status()).isEqualTo(204);
        assertThat(cloud.get("/api/users/me", by(other)).status()).isEqualTo(401);
        assertThat(cloud.get("/api/users/me", by(administrator)).status()).isEqualTo(200);
    }

    @Test
    void everythingThatMattersIsInTheAuditLog() {
        var administrator = cloud.administrator();
        cloud.user("alice", administrator);

        var lines =
                cloud.get("/api/admin/audit?action=user", by(administrator)).json().path("lines");

        assertThat(lines.valueStream().map(line -> line.path("action").asString()))
                .containsExactly("user.register", "user.invite", "user.first_admin");
    }

    @Test
    void everyRequestHasAnIdAndEveryRefusalIsAProblemDocument() {
        var reply = cloud.get("/api/users/me", "X-Request-Id", "my-request-1");

        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.whole().headers().firstValue("Content-Type"))
                .contains("application/problem+json");
        assertThat(reply.text("request_id")).isEqualTo("my-request-1");
        assertThat(reply.whole().headers().firstValue("X-Request-Id")).contains("my-request-1");
        assertThat(cloud.get("/api/nothing").status()).isEqualTo(404);
        assertThat(cloud.send("PUT", "/api/auth/login", null).status()).isEqualTo(405);
        assertThat(cloud.post("/api/auth/login", Map.of("e-mail", "x")).text("detail"))
                .contains("e-mail");
    }

    @Test
    void theDescriptionOfTheApiNamesEveryPathWithItsSchemas() {
        var document = cloud.get("/api/openapi.json").json();

        assertThat(document.path("openapi").asString()).isEqualTo("3.1.0");
        assertThat(
                        document.path("paths")
                                .path("/api/auth/login")
                                .path("post")
                                .path("operationId")
                                .asString())
                .isEqualTo("login");
        assertThat(Json.MAPPER.writeValueAsString(document)).doesNotContain("password_hash");
        document.findValues("$ref")
                .forEach(ref ->
                        assertThat(document.at(ref.asString().substring(1)).isObject())
                                .as(ref.asString())
                                .isTrue());
    }
}
