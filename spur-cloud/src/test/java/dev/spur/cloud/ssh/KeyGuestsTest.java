package dev.spur.cloud.ssh;

import static dev.spur.cloud.TestCloud.by;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cloud.TestCloud;
import dev.spur.cloud.reach.LocalPrograms;
import dev.spur.cloud.reach.LocalShells;
import dev.spur.cloud.reach.SessionDoor;
import dev.spur.cloud.sessions.FakeCluster;
import dev.spur.cloud.sessions.SessionStore;
import dev.spur.cloud.users.SshKeys;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Public keys are public: anybody can put them in a profile.
class KeyGuestsTest {
    private static final String KEY =
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl alice";

    @TempDir private Path home;
    private final TestCloud cloud = TestCloud.on(new FakeCluster());
    private final String administrator = cloud.administrator();
    private final String alice = cloud.user("alice", administrator);
    private final String mallory = cloud.user("mallory", administrator);

    @AfterEach
    void stop() {
        cloud.close();
    }

    private String launch(String who) {
        var made =
                cloud.post(
                        "/api/sessions",
                        Map.of(
                                "name",
                                "train",
                                "gpu_type",
                                "none",
                                "gpu_count",
                                0,
                                "ssh_enabled",
                                true),
                        by(who));
        assertThat(made.status()).as(made.whole().body()).isEqualTo(201);
        return made.text("id");
    }

    private String add(String who) {
        return cloud.post("/api/users/me/ssh-keys", Map.of("public_key", KEY), by(who))
                .text("fingerprint");
    }

    private SessionDoor.Entry open(UUID session) {
        return new SessionDoor.Open(
                session, "train", "1 0", new LocalPrograms(home), new LocalShells());
    }

    @Test
    void aTokenThatMayNotEnterSessionsAddsNoKeyThatCould() {
        var token =
                cloud.post(
                                "/api/users/me/tokens",
                                Map.of("name", "tool", "scopes", List.of("account")),
                                by(alice))
                        .text("token");

        var answer = cloud.post("/api/users/me/ssh-keys", Map.of("public_key", KEY), by(token));

        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.text("code")).isEqualTo("scope-needed");
    }

    @Test
    void aKeyInTwoProfilesLeadsNobodyIntoTheOthersSession() {
        add(mallory);
        var fingerprint = add(alice);
        launch(mallory);
        var hers = launch(alice);
        var guests =
                new KeyGuests(
                        new SshKeys(cloud.db()),
                        new SessionStore(cloud.db()),
                        (_, session) -> open(session));

        assertThat(guests.admit(fingerprint, "train"))
                .isInstanceOfSatisfying(
                        Admission.NothingHere.class,
                        nothing -> assertThat(nothing.why()).contains("say the id of yours"));
        assertThat(guests.admit(fingerprint, hers))
                .isInstanceOfSatisfying(
                        Admission.Welcome.class,
                        welcome ->
                                assertThat(welcome.guest().session())
                                        .isEqualTo(UUID.fromString(hers)));
    }
}
