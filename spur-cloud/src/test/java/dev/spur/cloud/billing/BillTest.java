package dev.spur.cloud.billing;

import static dev.spur.cloud.TestCloud.by;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.client.ControllerException;
import dev.spur.cloud.TestCloud;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.config.BillingSection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// M16: usage and summary are exact, the same however often and by however many they are made, with
/// what runs, in money.
class BillTest {
    private final TestCloud cloud = TestCloud.start();
    private final Jdbi db = cloud.db();
    private final Map<Long, List<Attempt>> truth = new java.util.HashMap<>();
    private final List<UUID> stopped = new ArrayList<>();
    private boolean isWhole = true;
    private Billing billing;
    private String administrator = "";
    private String alice = "";
    private Instant start = Instant.EPOCH;

    BillTest() {
        billing =
                new Billing(db, BillingSection.DEFAULTS, new AuditLog(db, cloud::now), cloud::now);
    }

    @BeforeEach
    void somebodyAndPrices() {
        administrator = cloud.administrator();
        alice = cloud.user("alice", administrator);
        start = cloud.now();
        assertThat(price("gpu:mi300x", "3.60", start.minusSeconds(86_400)).status()).isEqualTo(201);
    }

    @AfterEach
    void stop() {
        cloud.close();
    }

    private TestCloud.Reply price(String resource, String perHour, Instant from) {
        return cloud.post(
                "/api/admin/prices",
                Map.of("resource", resource, "per_hour", perHour, "from", from.toString()),
                by(administrator));
    }

    private UUID session(long job, String state) {
        var id = UUID.randomUUID();
        db.useHandle(handle ->
                handle.createUpdate(
                                """
                                insert into session (id, person_id, name, state, backend, gpu_type, gpu_count, cpus, memory_mb,
                                    disk_mb, image, time_limit_min, ssh_enabled, env, unix_uid, unix_name, unix_linked,
                                    submit_key, spur_job_id, created_at, started_at)
                                select :id, id, 'notebook', :state, 'native', 'mi300x', 8, 4, 0, 0, 'native', 240, true, '{}',
                                    200000, 'alice', false, :key, :job, :now, :now
                                  from person where email = 'alice@example.com'
                                """)
                        .bind("id", id)
                        .bind("state", state)
                        .bind("key", id.toString())
                        .bind("job", job)
                        .bind("now", start)
                        .execute());
        return id;
    }

    private void over(UUID session, Instant at) {
        db.useHandle(handle ->
                handle.createUpdate(
                                "update session set state = 'completed', ended_at = :at where id = :id")
                        .bind("id", session)
                        .bind("at", at)
                        .execute());
    }

    private void ran(long job, Attempt... attempts) {
        truth.put(job, List.of(attempts));
    }

    private Attempt attempt(
            long job, int number, @Nullable Instant end, @Nullable String free, boolean isLast) {
        return new Attempt(
                job, number, start, end, Duration.ZERO, null, "mi300x", 8, 4, free, isLast);
    }

    private void settle() {
        billing.settle(_ -> new Truth.Known(truth, isWhole), (session, _) -> stopped.add(session));
    }

    private TestCloud.Reply summary() {
        return cloud.get("/api/billing/summary", by(token("alice")));
    }

    private TestCloud.Reply usage(String... query) {
        return cloud.get("/api/billing/usage" + String.join("", query), by(token("alice")));
    }

    /// Tokens last minutes, and tests take hours.
    private String token(String name) {
        return cloud.post(
                        "/api/auth/login",
                        Map.of("email", name + "@example.com", "password", TestCloud.PASSWORD))
                .text("token");
    }

    @Test
    void theSummaryAnswersOnceThereIsUsage_D2() {
        var session = session(7, "running");
        ran(7, attempt(7, 0, start.plusSeconds(100), null, true));
        over(session, start.plusSeconds(100));
        cloud.advance(Duration.ofSeconds(200));
        settle();

        var summary = summary();

        assertThat(summary.status()).isEqualTo(200);
        assertThat(summary.json().path("total_gpu_seconds").asLong()).isEqualTo(800);
        assertThat(summary.json().at("/by_gpu_type/0/gpu_type").asString()).isEqualTo("mi300x");
        assertThat(summary.json().at("/by_gpu_type/0/session_count").asInt()).isEqualTo(1);
        assertThat(summary.text("total_cost")).isEqualTo("0.80");
        assertThat(summary.json().path("by_day").size()).isGreaterThan(0);
    }

    @Test
    void howeverManySettleAtTheSameTimeEverySecondIsBilledOnce_D4() throws Exception {
        session(7, "running");
        ran(7, attempt(7, 0, null, null, false));
        cloud.advance(Duration.ofSeconds(100));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var i = 0; i < 8; i++) {
                threads.submit(this::settle);
            }
        }

        assertThat(usage().json().size()).isEqualTo(1);
        assertThat(summary().json().path("total_gpu_seconds").asLong()).isEqualTo(800);
    }

    @Test
    void aSessionThatNobodySawStartIsBilledFromItsStart_D6() {
        var session = session(7, "running");
        cloud.advance(Duration.ofSeconds(3600));
        ran(7, attempt(7, 0, start.plusSeconds(3600), null, true));
        over(session, start.plusSeconds(3600));

        settle();

        assertThat(summary().text("total_cost")).isEqualTo("28.80");
    }

    @Test
    void aJobThatTheControllerForgotIsBilledByAccounting_D11() {
        var session = session(7, "failed");
        ran(7, attempt(7, 0, start.plusSeconds(60), null, true));
        over(session, start.plusSeconds(60));
        cloud.advance(Duration.ofSeconds(600));
        settle();

        var row = usage().json().path(0);

        assertThat(row.path("end_time").asString()).isNotEmpty();
        assertThat(row.path("gpu_seconds").asLong()).isEqualTo(480);
        assertThat(row.path("is_final").asBoolean()).isTrue();
        assertThat(row.path("session_id").asString()).isEqualTo(session.toString());
    }

    @Test
    void timeInWhichThisServiceWasAwayIsBilledAsItRan_D12() {
        var session = session(7, "running");
        ran(7, attempt(7, 0, null, null, false));
        settle();
        cloud.advance(Duration.ofHours(5)); // nobody looks; the job ended after 100 s
        ran(7, attempt(7, 0, start.plusSeconds(100), null, true));
        over(session, cloud.now());

        settle();

        assertThat(summary().json().path("total_gpu_seconds").asLong()).isEqualTo(800);
    }

    @Test
    void aSessionThatBeganBeforeTheWindowCountsWithWhatFallsIntoIt_D12() {
        session(7, "running");
        ran(7, attempt(7, 0, null, null, false));
        cloud.advance(Duration.ofSeconds(1000));
        settle();

        var later = usage("?since=" + start.plusSeconds(900) + "&until=" + start.plusSeconds(950));

        assertThat(later.json().path(0).path("gpu_seconds").asLong()).isEqualTo(400);
    }

    @Test
    void nothingIsTheLastWordWhileSomebodyWhoKnowsWasNotAsked() {
        var session = session(7, "completed");
        ran(7, attempt(7, 0, start.plusSeconds(10), null, true));
        over(session, start.plusSeconds(10));
        cloud.advance(Duration.ofMinutes(2));
        isWhole = false;
        settle();
        isWhole = true;
        ran(
                7,
                attempt(7, 0, start.plusSeconds(10), null, false),
                attempt(7, 1, start.plusSeconds(20), null, true));
        settle();
        truth.clear();
        settle();

        assertThat(usage().json().size()).isEqualTo(2);
        assertThat(summary().json().path("total_gpu_seconds").asLong()).isEqualTo(240);
    }

    @Test
    void anAttemptThatTheNodeFailedIsShownAndFree() {
        var session = session(7, "completed");
        ran(
                7,
                attempt(7, 0, start.plusSeconds(3600), "the node failed", false),
                attempt(7, 1, start.plusSeconds(3600), null, true));
        over(session, start.plusSeconds(3600));
        cloud.advance(Duration.ofHours(2));
        settle();

        assertThat(summary().text("total_cost")).isEqualTo("28.80");
        assertThat(usage().json().findValuesAsString("free_because")).contains("the node failed");
    }

    @Test
    void whatWasBilledForGoodKeepsItsPrice() {
        var session = session(7, "completed");
        ran(7, attempt(7, 0, start.plusSeconds(100), null, true));
        over(session, start.plusSeconds(100));
        cloud.advance(Duration.ofSeconds(200));
        settle();

        var late = price("gpu:mi300x", "7.20", start.plusSeconds(50));
        var next = price("gpu:mi300x", "7.20", start.plusSeconds(200));

        assertThat(late.status()).isEqualTo(409);
        assertThat(late.text("code")).isEqualTo("already-billed");
        assertThat(next.status()).isEqualTo(201);
        assertThat(summary().text("total_cost")).isEqualTo("0.80");
    }

    @Test
    void nobodySeesWhatOthersUsedButAdministrators() {
        var bob = cloud.user("bob", administrator);
        session(7, "running");
        ran(7, attempt(7, 0, null, null, false));
        cloud.advance(Duration.ofSeconds(100));
        settle();

        assertThat(cloud.get("/api/billing/usage", by(bob)).json().size()).isZero();
        assertThat(cloud.get("/api/billing/usage?all=true", by(bob)).status()).isEqualTo(403);
        assertThat(cloud.get("/api/billing/usage?all=true", by(administrator)).json().size())
                .isEqualTo(1);
        assertThat(cloud.get("/api/billing/usage?project=" + UUID.randomUUID(), by(bob)).status())
                .isEqualTo(404);
        assertThat(price("cpu", "1", start).status()).isEqualTo(201);
        assertThat(
                        cloud.post(
                                        "/api/admin/prices",
                                        Map.of("resource", "cpu", "per_hour", "0"),
                                        by(bob))
                                .status())
                .isEqualTo(403);
    }

    @Test
    void aUsedUpBudgetTellsOnceStopsWhatRunsAndRefusesWhatIsLaunched() {
        var session = session(7, "running");
        ran(7, attempt(7, 0, null, null, false));
        var me = cloud.get("/api/users/me", by(alice)).text("id");
        cloud.send(
                "PUT",
                "/api/admin/budgets",
                Map.of("person_id", me, "per_month", "10", "hard_stop", true),
                by(administrator));
        cloud.advance(Duration.ofMinutes(15)); // 7.20 of 10
        settle();
        assertThat(stopped).isEmpty();
        cloud.advance(Duration.ofMinutes(10)); // 12.00
        settle();
        settle();

        assertThat(stopped).contains(session);
        assertThat(
                        cloud.get("/api/billing/alerts", by(token("alice")))
                                .json()
                                .findValuesAsString("percent"))
                .containsExactlyInAnyOrder("50", "80", "100");
        var refused =
                cloud.post(
                        "/api/sessions",
                        Map.of("name", "more", "gpu_type", "none", "gpu_count", 0),
                        by(token("alice")));
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.text("code")).isEqualTo("budget-used-up");
        var again =
                cloud.post(
                        "/api/sessions/" + session(8, "completed") + "/restart",
                        Map.of(),
                        by(token("alice")));
        assertThat(again.text("code")).isEqualTo("budget-used-up");
    }

    @Test
    void spreadsheetsGetRowsThatRunNothing() {
        var session = session(7, "running");
        db.useHandle(handle ->
                handle.createUpdate("update session set name = '=cmd(\"x\")' where id = :id")
                        .bind("id", session)
                        .execute());
        ran(7, attempt(7, 0, null, null, false));
        cloud.advance(Duration.ofSeconds(100));
        settle();

        var csv = usage("?format=csv");

        assertThat(csv.whole().headers().firstValue("Content-Type").orElse(""))
                .startsWith("text/csv");
        assertThat(csv.text("text")).contains("\"'=cmd(\"\"x\"\")\"").contains(",800,");
    }

    /// S13: what the cluster says when it is away is not what people read.
    @Test
    void aClusterThatIsAwayLeavesBillsAsTheyAre_S13() {
        session(7, "running");
        ran(7, attempt(7, 0, null, null, false));
        cloud.advance(Duration.ofSeconds(100));
        settle();

        var failure =
                org.assertj.core.api.Assertions.catchThrowable(() ->
                        billing.settle(
                                _ -> {
                                    throw ControllerException.of(
                                            io.grpc.Status.UNAVAILABLE
                                                    .withDescription("10.0.0.1:6817 refused")
                                                    .asRuntimeException());
                                },
                                (_, _) -> {}));

        assertThat(failure).isInstanceOf(ControllerException.class);
        assertThat(summary().json().path("total_gpu_seconds").asLong()).isEqualTo(800);
        assertThat(summary().whole().body()).doesNotContain("10.0.0.1");
    }

    @Test
    void whoPaysNothingIsToldThePricesAnyway() {
        var prices = cloud.get("/api/billing/prices", by(alice)).json();

        assertThat(prices.path(0).path("resource").asString()).isEqualTo("gpu:mi300x");
        assertThat(prices.path(0).path("per_hour").asString()).startsWith("3.6");
        assertThat(prices.path(0).path("currency").asString()).isEqualTo("EUR");
    }
}
