package dev.spur.cloud.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cloud.TestCloud;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What ends, and why; that it does so by itself within seconds, terminals and ports specify.
class RevocationsTest {
    private static final String KEY =
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJPvbgYzHQ5Emu1mVwCrShSGr2Jj2MkzzvCmrzuUvGi ann@laptop";

    private final TestCloud cloud = TestCloud.start();
    private final Revocations revocations = new Revocations(cloud.db(), cloud::now);
    private final List<String> ended = new CopyOnWriteArrayList<>();
    private String admin;
    private String user;
    private UUID person;

    @BeforeEach
    void people() {
        admin = cloud.administrator();
        user = cloud.user("ann", admin);
        person = UUID.fromString(cloud.get("/api/users/me", TestCloud.by(user)).text("id"));
    }

    @AfterEach
    void close() {
        cloud.close();
    }

    private void watch(Grant grant) {
        revocations.watch(grant, "somewhere", Optional::empty, ended::add);
    }

    private Grant byLogin() {
        var login =
                cloud.db()
                        .withHandle(handle ->
                                handle.createQuery("select id from login where person_id = :person")
                                        .bind("person", person)
                                        .mapTo(UUID.class)
                                        .one());
        return new Grant(person, false, login, null, null);
    }

    @Test
    void nothingEndsWithoutAReason() {
        watch(byLogin());

        revocations.look();

        assertThat(ended).isEmpty();
    }

    @Test
    void aLoginThatIsOverEndsWhatItOpened() {
        watch(byLogin());

        cloud.advance(Duration.ofHours(25));
        revocations.look();
        revocations.look();

        assertThat(ended).containsExactly("your login has ended");
    }

    @Test
    void aRevokedTokenEndsWhatItOpened() {
        var made =
                cloud.post(
                        "/api/users/me/tokens",
                        Map.of("name", "tool", "scopes", List.of("sessions")),
                        TestCloud.by(user));
        var token = UUID.fromString(made.json().path("details").path("id").asString());
        watch(new Grant(person, false, null, token, null));
        revocations.look();
        assertThat(ended).isEmpty();

        cloud.send("DELETE", "/api/users/me/tokens/" + token, null, TestCloud.by(user));
        revocations.look();

        assertThat(ended).containsExactly("your API token was revoked or is over");
    }

    @Test
    void aDeletedKeyEndsWhatItOpened() {
        var key =
                UUID.fromString(
                        cloud.post(
                                        "/api/users/me/ssh-keys",
                                        Map.of("public_key", KEY),
                                        TestCloud.by(user))
                                .text("id"));
        watch(Grant.ofKey(person, key));
        revocations.look();
        assertThat(ended).isEmpty();

        cloud.send("DELETE", "/api/users/me/ssh-keys/" + key, null, TestCloud.by(user));
        revocations.look();

        assertThat(ended).containsExactly("your SSH key was deleted");
    }

    @Test
    void whoIsNoAdministratorAnyMoreLosesWhatHeOpenedAsOne() {
        watch(new Grant(person, true, byLogin().login(), null, null));

        revocations.look();

        assertThat(ended).containsExactly("you are no administrator any more");
    }

    @Test
    void aDeactivatedPersonLosesEverything() {
        watch(byLogin());

        cloud.send(
                "PATCH",
                "/api/admin/users/" + person,
                Map.of("is_active", false),
                TestCloud.by(admin));
        revocations.look();

        assertThat(ended).containsExactly("your account was deactivated");
    }

    @Test
    void aPlaceThatIsGoneIsAskedForOnceForAllWhoAreThere() {
        var asked = new CopyOnWriteArrayList<String>();
        for (var i = 0; i < 3; i++) {
            revocations.watch(
                    byLogin(),
                    "session 1",
                    () -> {
                        asked.add("session 1");
                        return Optional.of("the session has ended");
                    },
                    ended::add);
        }

        revocations.look();

        assertThat(asked).hasSize(1);
        assertThat(ended).hasSize(3).containsOnly("the session has ended");
    }
}
