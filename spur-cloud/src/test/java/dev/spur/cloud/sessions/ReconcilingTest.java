package dev.spur.cloud.sessions;

import static dev.spur.cloud.TestCloud.by;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cloud.TestCloud;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// M04, M08: what the cluster does to a session's job is what people see of the session, with the
/// cluster's own times.
class ReconcilingTest {
    private final FakeCluster cluster = new FakeCluster();
    private final TestCloud cloud =
            TestCloud.on(cluster, "[auth]", "access_minutes = 1440", "jwt_expiry_hours = 1000");
    private final String administrator = cloud.administrator();
    private final String alice = cloud.user("alice", administrator);

    @AfterEach
    void stop() {
        cloud.close();
    }

    private String launch(Object... fields) {
        var wish = new HashMap<String, Object>();
        wish.put("name", "train");
        wish.put("gpu_type", "mi300x");
        wish.put("gpu_count", 1);
        for (var i = 0; i < fields.length; i += 2) {
            wish.put((String) fields[i], fields[i + 1]);
        }
        var reply = cloud.post("/api/sessions", wish, by(alice));
        assertThat(reply.status()).as(reply.whole().body()).isEqualTo(201);
        return reply.text("id");
    }

    private JsonNode session(String id) {
        return cloud.get("/api/sessions/" + id, by(alice)).json();
    }

    private String state(String id) {
        return session(id).path("state").asString();
    }

    private long job(String id) {
        return session(id).path("spur_job_id").asLong();
    }

    private void sweep() {
        cloud.sessions().reconcile();
    }

    private String running(Object... fields) {
        var id = launch(fields);
        cluster.run(job(id), cloud.now(), cloud.now().plus(Duration.ofHours(4)));
        sweep();
        assertThat(state(id)).isEqualTo("running");
        return id;
    }

    private int delete(String id) {
        return cloud.send("DELETE", "/api/sessions/" + id, null, by(alice)).status();
    }

    @Test
    void whatWaitsShowsItsPlaceItsReasonAndWhenItIsExpectedToStart() {
        var id = launch();
        sweep();

        var session = session(id);
        assertThat(session.path("state").asString()).isEqualTo("pending");
        assertThat(session.path("queue_position").asInt()).isEqualTo(1);
        assertThat(session.path("expected_start").asString()).isEqualTo("2027-01-01T10:00:00Z");
        assertThat(session.path("reason").asString()).isEqualTo("Resources");
    }

    /// D5: after the end was asked for, the next look made the session `running` again.
    @Test
    void aSessionThatIsToEndDoesNotRunAgainBecauseItsJobStillDoes() {
        var id = running();
        var started = session(id).path("started_at").asString();
        cluster.goAway(true);
        assertThat(delete(id)).isEqualTo(204);
        cluster.goAway(false);
        assertThat(state(id)).isEqualTo("stopping");

        sweep();
        assertThat(state(id)).isEqualTo("stopping");
        assertThat(session(id).path("started_at").asString()).isEqualTo(started);

        cloud.advance(Duration.ofSeconds(20));
        sweep();
        sweep();
        assertThat(state(id)).isEqualTo("cancelled");
    }

    /// D7: ending what was over reopened it.
    @Test
    void whatIsOverStaysOver() {
        var id = running();
        var end = cloud.now().minusSeconds(7);
        cluster.end(job(id), SessionState.COMPLETED, null, end);
        sweep();
        var before = session(id);
        assertThat(before.path("state").asString()).isEqualTo("completed");
        assertThat(before.path("ended_at").asString()).isEqualTo(end.toString());

        assertThat(delete(id)).isEqualTo(204);
        cluster.set(
                before.path("spur_job_id").asLong(),
                now -> FakeCluster.running(now, 2, cloud.now(), cloud.now()));
        sweep();

        assertThat(session(id)).isEqualTo(before);
    }

    /// D6: what was first seen when it already ran was never started for the bill.
    @Test
    void aSessionThatIsFirstSeenRunningHasTheStartThatTheClusterSays() {
        var id = launch();
        var start = cloud.now().minusSeconds(90);
        cluster.run(job(id), start, start.plusSeconds(3600));
        sweep();

        assertThat(session(id).path("started_at").asString()).isEqualTo(start.toString());
        assertThat(session(id).path("ends_at").asString())
                .isEqualTo(start.plusSeconds(3600).toString());
    }

    /// D11: the job was gone, and the session was left half open.
    @Test
    void aSessionWhoseJobTheClusterForgotIsOverWithTheReason() {
        var id = running();
        cluster.forget(job(id));
        sweep();

        var session = session(id);
        assertThat(session.path("state").asString()).isEqualTo("failed");
        assertThat(session.path("error_message").asString()).contains("no longer knows job");
        assertThat(session.path("ended_at").isNull()).isFalse();
    }

    /// D12: an end was when somebody looked.
    @Test
    void anEndThatNobodySawIsStillWhenItWas() {
        var id = running();
        var end = cloud.now().plusSeconds(60);
        cluster.end(job(id), SessionState.COMPLETED, "TIMEOUT", end);
        cloud.advance(Duration.ofHours(20));
        cloud.restart();
        sweep();

        assertThat(session(id).path("ended_at").asString()).isEqualTo(end.toString());
    }

    @Test
    void aRequeuedSessionWaitsAndRunsAgainAsTheNextAttempt() {
        var id = running();
        var again = cloud.post("/api/sessions/" + id + "/restart", Map.of(), by(alice));
        assertThat(again.status()).isEqualTo(202);
        sweep();
        assertThat(state(id)).isEqualTo("pending");
        assertThat(session(id).path("started_at").isNull()).isTrue();
        assertThat(session(id).path("attempt").asInt()).isEqualTo(2);

        cluster.set(
                job(id),
                now -> FakeCluster.running(now, 2, cloud.now(), cloud.now().plusSeconds(3600)));
        sweep();
        assertThat(state(id)).isEqualTo("running");
        assertThat(
                        cloud.get("/api/sessions/" + id + "/events", by(alice))
                                .json()
                                .findValuesAsString("kind"))
                .containsExactly(
                        "session.created",
                        "session.pending",
                        "session.running",
                        "session.requeued",
                        "session.running");
    }

    @Test
    void sessionsOfSomebodyWhoIsDisabledEnd() {
        var id = running();
        var me = cloud.get("/api/users/me", by(alice)).text("id");
        cloud.send(
                "PATCH", "/api/admin/users/" + me, Map.of("is_active", false), by(administrator));

        sweep();

        var store = new SessionStore(cloud.db());
        var session = store.find(java.util.UUID.fromString(id)).orElseThrow();
        assertThat(session.stopRequestedAt()).isNotNull();
        assertThat(session.stopReason()).isEqualTo("its owner was disabled");
    }

    @Test
    void aSessionThatIsOverIsLaunchedOnceMoreAsANewOne() {
        var id = running("secrets", Map.of("K", "v"));
        delete(id);
        sweep();

        var again = cloud.post("/api/sessions/" + id + "/restart", Map.of(), by(alice));

        assertThat(again.status()).isEqualTo(201);
        assertThat(again.text("id")).isNotEqualTo(id);
        assertThat(cluster.submission(again.json().path("spur_job_id").asLong()).environment())
                .containsEntry("K", "v");
    }

    @Test
    void anOutageOfTheClusterIsNotSeenByWhoLaunches() {
        cloud.get("/api/gpus", by(alice));
        cluster.goAway(true);
        var id = launch();
        assertThat(state(id)).isEqualTo("creating");
        cluster.goAway(false);
        cloud.advance(Duration.ofSeconds(30));
        sweep();

        assertThat(state(id)).isEqualTo("pending");
        assertThat(cluster.jobs()).hasSize(1);
    }

    @Test
    void manySessionsCostAsManyQuestionsAsOne() {
        for (var i = 0; i < 12; i++) {
            launch();
        }
        var before = cluster.questions.get();
        sweep();
        assertThat(cluster.questions.get() - before).isLessThanOrEqualTo(3);
    }

    @Test
    void aSessionIsExtendedUpToTheLongestThatIsAllowed() {
        var id = running();
        var end = cloud.now().plus(Duration.ofHours(4));
        var path = "/api/sessions/" + id + "/extend";

        var longer = cloud.post(path, Map.of("minutes", 60), by(alice));

        assertThat(longer.status()).isEqualTo(200);
        assertThat(longer.json().path("time_limit_min").asInt()).isEqualTo(300);
        assertThat(longer.text("ends_at")).isEqualTo(end.plus(Duration.ofHours(1)).toString());
        assertThat(cloud.post(path, Map.of("minutes", 100_000), by(alice)).text("code"))
                .isEqualTo("too-long");
    }

    @Test
    void itsOwnerIsWarnedOnceBeforeASessionEnds() {
        var id = running();
        cloud.advance(Duration.ofHours(4).minusMinutes(10));
        sweep();
        sweep();

        var events = cloud.get("/api/sessions/" + id + "/events", by(alice)).json();
        assertThat(events.findValuesAsString("kind")).containsOnlyOnce("session.expiring");
    }

    @Test
    void aSessionThatNobodyUsesEndsIfItsOwnerWantedThat() throws Exception {
        var idle = running("idle_minutes", 30);
        var entered = running("idle_minutes", 30);
        var wanted = running();
        try (var _ = cloud.sessions().presence().enter(java.util.UUID.fromString(entered))) {
            for (var i = 0; i < 20; i++) {
                cloud.advance(Duration.ofMinutes(2));
                cloud.sessions().presence().note();
                sweep();
            }
        }
        sweep();
        assertThat(state(idle)).isEqualTo("cancelled");
        assertThat(session(idle).path("reason").asString()).isEqualTo("not used for 30 minutes");
        assertThat(state(entered)).isEqualTo("running");
        assertThat(state(wanted)).isEqualTo("running");
    }

    @Test
    void whatASessionUsesIsSeenOverTimeAndPretendGpusHaveNoData() {
        var id = running();
        cluster.use(Map.of(job(id), new Backend.Use(10, 1 << 20)));
        cloud.advance(Duration.ofMinutes(2));
        sweep();
        cluster.use(Map.of(job(id), new Backend.Use(70, 2 << 20)));
        cloud.advance(Duration.ofMinutes(1));
        sweep();

        var usage = cloud.get("/api/sessions/" + id + "/usage", by(alice)).json();
        assertThat(usage.path("lines")).hasSize(2);
        assertThat(usage.path("lines").get(1).path("cpus").asDouble()).isEqualTo(1.0);
        assertThat(usage.path("gpus").isNull()).isTrue();
        assertThat(usage.path("gpu_note").asString()).startsWith("no data");
    }

    @Test
    void whoChangesASessionThatHasChangedMeanwhileIsTold() {
        var id = launch();
        var path = "/api/sessions/" + id;
        var seen = cloud.get(path, by(alice));
        var tag = seen.whole().headers().firstValue("ETag").orElseThrow();
        String[] ifMatch = {"Authorization", "Bearer " + alice, "If-Match", tag};
        String[] ifNone = {"Authorization", "Bearer " + alice, "If-None-Match", tag};

        assertThat(cloud.get(path, ifNone).status()).isEqualTo(304);
        var renamed = cloud.send("PATCH", path, Map.of("name", "one"), ifMatch);
        assertThat(renamed.status())
                .as(tag + renamed.whole().headers() + renamed.whole().body() + session(id))
                .isEqualTo(200);
        assertThat(cloud.send("PATCH", path, Map.of("name", "two"), ifMatch).status())
                .isEqualTo(412);
        assertThat(cloud.get(path, ifNone).status()).isEqualTo(200);
    }

    @Test
    void onlyWhatIsOverCanBeDeletedFromTheList() {
        var id = running();
        var path = "/api/sessions/" + id;
        assertThat(cloud.send("DELETE", path + "?delete=true", null, by(alice)).status())
                .isEqualTo(409);
        delete(id);
        sweep();
        assertThat(cloud.send("DELETE", path + "?delete=true", null, by(alice)).status())
                .isEqualTo(204);
        assertThat(cloud.get(path, by(alice)).status()).isEqualTo(404);
        assertThat(cloud.get("/api/sessions", by(alice)).json()).isEmpty();
    }
}
