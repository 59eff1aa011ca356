package dev.spur.cloud.sessions;

import static dev.spur.cloud.TestCloud.by;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cloud.TestCloud;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// People who work together.
class ProjectTest {
    private final FakeCluster cluster = new FakeCluster();
    private final TestCloud cloud = TestCloud.on(cluster);
    private final String administrator = cloud.administrator();
    private final String alice = cloud.user("alice", administrator);
    private final String bob = cloud.user("bob", administrator);

    @AfterEach
    void stop() {
        cloud.close();
    }

    private String project() {
        var made =
                cloud.post(
                        "/api/projects",
                        Map.of("name", "vision", "max_gpus", 2, "owner", "alice@example.com"),
                        by(administrator));
        assertThat(made.status()).as(made.whole().body()).isEqualTo(201);
        return made.text("id");
    }

    private TestCloud.Reply put(String project, String email, String role, String as) {
        return cloud.send(
                "PUT",
                "/api/projects/" + project + "/members",
                Map.of("email", email, "role", role),
                by(as));
    }

    private TestCloud.Reply launch(String as, int gpus) {
        return cloud.post(
                "/api/sessions",
                Map.of("name", "s", "gpu_type", "mi300x", "gpu_count", gpus, "project", "vision"),
                by(as));
    }

    @Test
    void membersLaunchAndEnterViewersLookAndStrangersSeeNothing() {
        var project = project();
        assertThat(launch(bob, 1).status()).isEqualTo(422);
        assertThat(cloud.get("/api/projects/" + project, by(bob)).status()).isEqualTo(404);

        assertThat(put(project, "bob@example.com", "viewer", alice).status()).isEqualTo(200);
        var made = launch(alice, 1);
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.text("project")).isEqualTo("vision");
        var id = made.text("id");
        assertThat(cluster.submission(made.json().path("spur_job_id").asLong()).accountName())
                .isEqualTo("cloud-vision");
        assertThat(cloud.get("/api/sessions/" + id, by(bob)).status()).isEqualTo(200);
        assertThat(cloud.get("/api/sessions/" + id + "/logs", by(bob)).status()).isEqualTo(403);
        assertThat(launch(bob, 1).status()).isEqualTo(422);

        put(project, "bob@example.com", "member", alice);
        assertThat(cloud.get("/api/sessions/" + id + "/logs", by(bob)).status()).isEqualTo(200);
        assertThat(cloud.sessions().access().find(me(bob), UUID.fromString(id))).isPresent();
        assertThat(cloud.send("DELETE", "/api/sessions/" + id, null, by(bob)).status())
                .isEqualTo(403);
    }

    private UUID me(String token) {
        return UUID.fromString(cloud.get("/api/users/me", by(token)).text("id"));
    }

    @Test
    void theQuotaOfAProjectIsThatOfAllItsMembersTogether() {
        var project = project();
        put(project, "bob@example.com", "member", alice);
        assertThat(launch(alice, 1).status()).isEqualTo(201);
        assertThat(launch(bob, 1).status()).isEqualTo(201);

        var refused = launch(bob, 1);

        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.text("detail"))
                .isEqualTo("You use 2 of at most 2 GPUs of the project and ask for 1 more.");
    }

    @Test
    void aProjectIsNeverWithoutAnOwner() {
        var project = project();
        assertThat(put(project, "alice@example.com", "viewer", alice).status()).isEqualTo(409);
        put(project, "bob@example.com", "owner", alice);
        assertThat(put(project, "alice@example.com", "viewer", bob).status()).isEqualTo(200);
        assertThat(put(project, "bob@example.com", "viewer", alice).status()).isEqualTo(403);
    }

    @Test
    void onlyAdministratorsMakeProjectsAndSayHowMuchTheyMayUse() {
        assertThat(cloud.post("/api/projects", Map.of("name", "x"), by(alice)).status())
                .isEqualTo(403);
        var project = project();
        assertThat(
                        cloud.send(
                                        "PATCH",
                                        "/api/projects/" + project,
                                        Map.of("max_gpus", 100),
                                        by(alice))
                                .status())
                .isEqualTo(403);
    }

    @Test
    void aSessionIsNotLaunchedAgainForAProjectThatItsOwnerHasLeft() {
        var project = project();
        put(project, "bob@example.com", "member", alice);
        var id = launch(bob, 1).text("id");
        assertThat(cloud.send("DELETE", "/api/sessions/" + id, null, by(bob)).status())
                .isEqualTo(204);
        put(project, "bob@example.com", "viewer", alice);
        cloud.sessions().reconcile();

        var again = cloud.post("/api/sessions/" + id + "/restart", Map.of(), by(bob));

        assertThat(again.status()).isEqualTo(422);
        assertThat(again.whole().body()).contains("none for which you may launch");
    }
}
