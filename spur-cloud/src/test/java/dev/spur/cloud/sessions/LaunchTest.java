package dev.spur.cloud.sessions;

import static dev.spur.cloud.TestCloud.by;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cloud.TestCloud;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// M01, M02, M17: what people launch, and what of it there may be.
class LaunchTest {
    private final FakeCluster cluster = new FakeCluster();
    private final TestCloud cloud = TestCloud.on(cluster);
    private final String administrator = cloud.administrator();
    private final String alice = cloud.user("alice", administrator);

    @AfterEach
    void stop() {
        cloud.close();
    }

    private static Map<String, Object> wish(Object... fields) {
        var wish = new HashMap<String, Object>();
        wish.put("name", "train");
        wish.put("gpu_type", "mi300x");
        wish.put("gpu_count", 1);
        for (var i = 0; i < fields.length; i += 2) {
            wish.put((String) fields[i], fields[i + 1]);
        }
        return wish;
    }

    private TestCloud.Reply launch(Object... fields) {
        return cloud.post("/api/sessions", wish(fields), by(alice));
    }

    @Test
    void aLaunchedSessionIsAJobThatRunsInItsPersonsName() {
        var made = launch("container_image", "native", "ssh_enabled", true, "time_limit_min", 60);

        assertThat(made.status()).isEqualTo(201);
        assertThat(made.text("state")).isEqualTo("pending");
        assertThat(made.json().path("time_limit_min").asInt()).isEqualTo(60);
        var job = cluster.jobs().getFirst();
        assertThat(made.json().path("spur_job_id").asLong()).isEqualTo(job.job());
        var submission = cluster.submission(job.job());
        assertThat(submission.account().name()).startsWith("alice"); // -2 where the host has one
        assertThat(submission.account().uid()).isGreaterThan(200_000);
        assertThat(submission.gpuCount()).isEqualTo(1);
        assertThat(submission.accountName()).isEqualTo("cloud");

        cluster.run(job.job(), cloud.now(), cloud.now().plus(Duration.ofHours(1)));
        cloud.sessions().reconcile();

        var seen = cloud.get("/api/sessions/" + made.text("id"), by(alice));
        assertThat(seen.text("state")).isEqualTo("running");
        assertThat(seen.text("node_name")).isEqualTo("node1");
        assertThat(seen.text("started_at")).isEqualTo(cloud.now().toString());
        assertThat(cloud.get("/api/sessions", by(alice)).json()).hasSize(1);
    }

    @Test
    void everyFieldOfTheSeedIsThereAlsoWithoutAValue() {
        var session = launch().json();

        assertThat(session.propertyNames())
                .contains(
                        "id",
                        "name",
                        "state",
                        "gpu_type",
                        "gpu_count",
                        "container_image",
                        "ssh_enabled",
                        "ssh_host",
                        "ssh_port",
                        "spur_job_id",
                        "time_limit_min",
                        "created_at",
                        "started_at",
                        "ended_at",
                        "node_name",
                        "error_message",
                        "reason",
                        "queue_position",
                        "expected_start",
                        "ends_at",
                        "cpus",
                        "memory_mb",
                        "template",
                        "project",
                        "partition",
                        "cost",
                        "revision");
        assertThat(session.path("time_limit_min").asInt()).isEqualTo(240);
        assertThat(session.path("started_at").isNull()).isTrue();
    }

    @Test
    void withoutSayingSoASessionGetsItsGpusPartOfTheNode() {
        assertThat(launch().json().path("cpus").asInt()).isEqualTo(1);
        assertThat(launch("gpu_count", 4).json().path("cpus").asInt()).isEqualTo(4);
        assertThat(launch("gpu_count", 0, "gpu_type", "none").json().path("cpus").asInt())
                .isEqualTo(4);
    }

    @Test
    void whatNoNodeCouldEverHoldIsRefusedAndWhatIsOnlyBusyWaits() {
        var tooMany = launch("gpu_count", 8, "cpus", 9);
        assertThat(tooMany.status()).isEqualTo(422);
        assertThat(tooMany.text("code")).isEqualTo("does-not-fit");
        assertThat(launch("gpu_type", "h100").text("detail")).contains("h100", "mi300x");

        for (var i = 0; i < 4; i++) {
            assertThat(launch("gpu_count", 8).status()).isEqualTo(201);
        }
    }

    @Test
    void anImageThatNothingHereRunsIsRefusedWithTheReason() {
        var reply = launch("container_image", "rocm/pytorch:latest");

        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.text("code")).isEqualTo("image-not-runnable");
        assertThat(reply.text("detail")).contains("rocm/pytorch:latest");
    }

    @Test
    void everyFieldThatIsWrongIsNamed() {
        var reply =
                cloud.post(
                        "/api/sessions",
                        Map.of("name", "", "gpu_type", "none", "gpu_count", 3, "time_limit_min", 0),
                        by(alice));

        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.json().path("fields").findValuesAsString("field"))
                .contains("name", "gpu_type", "time_limit_min");
    }

    /// D13: quotas were looked at first and used afterwards.
    @Test
    void parallelLaunchesDoNotExceedTheQuota() throws Exception {
        cloud.send(
                "PUT",
                "/api/admin/users/quota",
                Map.of("email", "alice@example.com", "max_gpus", 3),
                by(administrator));

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<TestCloud.Reply> one = () -> launch();
            var replies =
                    threads.invokeAll(IntStream.range(0, 10).mapToObj(_ -> one).toList()).stream()
                            .map(future -> future.resultNow())
                            .toList();

            assertThat(replies.stream().filter(reply -> reply.status() == 201)).hasSize(3);
            var refused = replies.stream().filter(reply -> reply.status() == 403).toList();
            assertThat(refused).hasSize(7);
            assertThat(refused.getFirst().text("detail"))
                    .isEqualTo("You use 3 of at most 3 GPUs and ask for 1 more.");
        }
        assertThat(cluster.jobs()).hasSize(3);
    }

    @Test
    void aRepetitionWithItsKeyIsTheSameLaunch() {
        String[] headers = {"Authorization", "Bearer " + alice, "Idempotency-Key", "k1"};
        var first = cloud.post("/api/sessions", wish(), headers);
        var second = cloud.post("/api/sessions", wish(), headers);

        assertThat(second.status()).isEqualTo(201);
        assertThat(second.text("id")).isEqualTo(first.text("id"));
        assertThat(cluster.jobs()).hasSize(1);
        assertThat(cloud.post("/api/sessions", wish("gpu_count", 2), headers).text("code"))
                .isEqualTo("idempotency-key-reused");
    }

    @Test
    void secretsReachTheSessionAndNobodyElse() {
        var made = launch("env", Map.of("MODE", "fast"), "secrets", Map.of("TOKEN", "s3cr3t-42"));

        assertThat(made.whole().body()).doesNotContain("s3cr3t-42").contains("fast");
        assertThat(cluster.submission(cluster.jobs().getFirst().job()).environment())
                .containsEntry("TOKEN", "s3cr3t-42")
                .containsEntry("MODE", "fast");
        var rows =
                cloud.db()
                        .withHandle(handle ->
                                handle.createQuery("select cast(s.* as text) from session s")
                                        .mapTo(String.class)
                                        .list());
        assertThat(rows).hasSize(1).noneMatch(row -> row.contains("s3cr3t-42"));
    }

    /// D14: a name became a label of the cluster, which not every name can be.
    @Test
    void aNameMayHaveSpacesAndLetters() {
        var made = launch("name", "Größe des Modells, zweiter Versuch!");

        assertThat(made.status()).isEqualTo(201);
        assertThat(made.text("name")).isEqualTo("Größe des Modells, zweiter Versuch!");
    }

    /// D19, M17: cards jumped about, and states had internal names.
    @Test
    void gpusAreListedInAStableOrderWithStatesThatPeopleKnow() {
        cluster.node("node0", 8, "a100", 2);
        cluster.node("node00", 8, "mi300x", 2);

        var pools = cloud.get("/api/gpus", by(alice)).json();

        assertThat(pools.findValuesAsString("gpu_type")).containsExactly("a100", "mi300x");
        assertThat(pools.get(1).path("total").asInt()).isEqualTo(14);
        assertThat(pools.get(1).path("largest").asInt()).isEqualTo(8);
        assertThat(pools.get(1).path("nodes").findValuesAsString("name"))
                .containsExactly("node00", "node1", "node2");
        assertThat(pools.get(1).path("nodes").findValuesAsString("state")).containsOnly("idle");
    }

    @Test
    void manyWhoLookAtTheCapacityAskTheClusterOnce() {
        cloud.get("/api/gpus", by(alice));
        var before = cluster.questions.get();
        for (var i = 0; i < 20; i++) {
            cloud.get("/api/gpus", by(alice));
        }
        assertThat(cluster.questions.get()).isEqualTo(before);
    }

    @Test
    void othersSeeNothingOfASessionAndAdministratorsSeeItWithoutEnteringIt() {
        var id = launch().text("id");
        var bob = cloud.user("bob", administrator);

        assertThat(cloud.get("/api/sessions/" + id, by(bob)).status()).isEqualTo(404);
        assertThat(cloud.send("DELETE", "/api/sessions/" + id, null, by(bob)).status())
                .isEqualTo(404);
        assertThat(cloud.get("/api/sessions", by(bob)).json()).isEmpty();
        assertThat(cloud.get("/api/sessions/" + id, by(administrator)).status()).isEqualTo(200);
        assertThat(cloud.get("/api/sessions/" + id + "/logs", by(administrator)).status())
                .isEqualTo(403);
        assertThat(cloud.get("/api/sessions?all=true", by(administrator)).json()).hasSize(1);
        assertThat(cloud.get("/api/sessions?all=true", by(bob)).status()).isEqualTo(422);
    }

    @Test
    void listsComeInPagesAndByState() {
        for (var i = 0; i < 5; i++) {
            cloud.advance(Duration.ofSeconds(1));
            launch("name", "s" + i);
        }
        var first = cloud.get("/api/sessions?limit=2", by(alice));
        assertThat(first.json().findValuesAsString("name")).isEqualTo(List.of("s4", "s3"));
        var cursor = first.whole().headers().firstValue("X-Next-Cursor").orElseThrow();
        var second = cloud.get("/api/sessions?limit=3&cursor=" + cursor, by(alice));
        assertThat(second.json().findValuesAsString("name")).isEqualTo(List.of("s2", "s1", "s0"));
        assertThat(second.whole().headers().firstValue("X-Next-Cursor")).isEmpty();
        assertThat(cloud.get("/api/sessions?state=running", by(alice)).json()).isEmpty();
        assertThat(cloud.get("/api/sessions?state=nonsense", by(alice)).status()).isEqualTo(422);
        assertThat(cloud.get("/api/sessions?sort=created_at&q=S3", by(alice)).json()).hasSize(1);
    }

    @Test
    void aRefusalOfTheClusterIsToldAndStaysInTheList() {
        cluster.refuse("Invalid partition name specified");

        var reply = launch("partition", "main");

        assertThat(reply.status()).isEqualTo(409);
        assertThat(reply.text("detail")).contains("Invalid partition name specified");
        var listed = cloud.get("/api/sessions?state=failed", by(alice)).json();
        assertThat(listed.get(0).path("error_message").asString())
                .isEqualTo("Invalid partition name specified");
    }
}
