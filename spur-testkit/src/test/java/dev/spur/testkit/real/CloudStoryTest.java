package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spur.runtime.host.Users;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The cloud as `./spur up` starts it, by `spur cloud`, the API and ssh alone: from the link of the
/// first administrator to the bill.
@Timeout(240)
class CloudStoryTest {
    private static final String PASSWORD = "correct horse battery";

    private static RealCluster cluster;
    private static String token;
    private static Path keys;

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @BeforeAll
    static void becomeAdministratorByThePrintedLink() throws Exception {
        assumeTrue(Users.currentUid() == 0, "sessions of several users need root");
        for (var program : List.of("ssh", "ssh-keygen")) {
            if (Arrays.stream(System.getenv("PATH").split(":"))
                    .noneMatch(place -> Files.isExecutable(Path.of(place, program)))) {
                throw new IllegalStateException(
                        "%s is missing: dev/ssh-clients installs what these tests need"
                                .formatted(program));
            }
        }
        cluster = RealCluster.inFewProcesses(2);
        keys = Files.createTempDirectory("spur-story");
        var link = cluster.local().adminLink().orElseThrow();
        token =
                field(
                        "token",
                        call(
                                        null,
                                        "POST",
                                        "/api/auth/setup",
                                        "{\"code\":\"%s\",\"email\":\"root@example.com\",\"username\":\"ann\",\"password\":\"%s\"}"
                                                .formatted(
                                                        link.substring(link.indexOf("code=") + 5),
                                                        PASSWORD))
                                .body());
        ask(
                "POST",
                "/api/admin/prices",
                "{\"resource\":\"gpu:mi300x\",\"per_hour\":\"3600\",\"from\":\"2026-01-01T00:00:00Z\"}");
        cluster.run(
                "ssh-keygen",
                "-q",
                "-t",
                "ed25519",
                "-N",
                "",
                "-f",
                keys.resolve("key").toString());
        ask(
                "POST",
                "/api/users/me/ssh-keys",
                "{\"public_key\":\"%s\"}"
                        .formatted(Files.readString(keys.resolve("key.pub")).strip()));
    }

    @AfterAll
    static void close() {
        if (cluster != null) {
            cluster.close();
        }
    }

    // ---- M01, M07, M25 ----

    @Test
    void sessionLaunchedByTheCommandSeesExactlyItsGpusByBothVariables() {
        cloud("launch", "--name=half", "--gpu=mi300x:4", "--time=30");
        cloud("launch", "--name=rest", "--gpu=mi300x:4", "--time=30");
        running("half");
        running("rest");

        var half =
                ssh(
                        "half",
                        "echo $CUDA_VISIBLE_DEVICES $ROCR_VISIBLE_DEVICES $(hostname) $SLURMD_NODENAME");
        var rest =
                ssh(
                        "rest",
                        "echo $CUDA_VISIBLE_DEVICES $ROCR_VISIBLE_DEVICES $(hostname) $SLURMD_NODENAME");

        assertThat(List.of(half.out().split(" ")[0], rest.out().split(" ")[0]))
                .containsExactlyInAnyOrder("0,1,2,3", "4,5,6,7");
        for (var said : List.of(half, rest)) {
            assertThat(said.out().split(" ")[1]).isEqualTo(said.out().split(" ")[0]);
        }
        end("half", "rest");
    }

    // ---- M05 ----

    @Test
    void commandsOfTheClusterWorkInASessionAsItsUser() {
        cloud("launch", "--name=desk", "--gpu=mi300x:1", "--time=30");
        running("desk");

        var said =
                ssh(
                        "desk",
                        """
                        id -un; squeue -h --me -o %u | sort -u; srun -n1 id -un
                        sbatch --parsable --wait -o printed --wrap 'id -u; pwd' >/dev/null; cat printed; id -u; pwd
                        exit 7\
                        """);

        var lines = said.out().lines().toList();
        assertThat(lines).as(said.err()).hasSize(7);
        assertThat(lines.subList(0, 3)).containsOnly("ann");
        assertThat(lines.subList(3, 5)).isEqualTo(lines.subList(5, 7));
        assertThat(said.exitCode()).isEqualTo(7);
        end("desk");
    }

    // ---- M02, M04 ----

    @Test
    void fullClusterQueuesWithReasonPlaceAndExpectedStart() {
        for (var name : List.of("one", "two", "three")) {
            cloud("launch", "--name=" + name, "--gpu=mi300x:8", "--time=30");
        }

        Eventually.until(
                () ->
                        session("three").contains("\"expected_start\":\"2")
                                && session("three").contains("\"queue_position\":1"),
                () -> session("three"));

        assertThat(session("three")).contains("\"state\":\"pending\"", "\"reason\":\"Resources\"");
        end("one", "two", "three");
    }

    // ---- M16 ----

    @Test
    void billIsWhatSacctSaysAfterTheApiAndTheControllerWereKilledInTheMiddle() throws Exception {
        cloud("launch", "--name=first", "--gpu=mi300x:2", "--time=30");
        running("first");
        cluster.kill("control");
        cloud("stop", "first");
        var key = Map.of("Idempotency-Key", "once");
        var wish =
                "{\"name\":\"second\",\"gpu_type\":\"mi300x\",\"gpu_count\":1,\"time_limit_min\":30}";
        call(token, "POST", "/api/sessions", wish, key);
        cluster.kill("edge");
        Eventually.until(() -> launchedOnce(wish, key), () -> "the API did not come back");
        running("second");
        end("first", "second");

        Eventually.until(
                () ->
                        !ask("GET", "/api/billing/usage?limit=100", null)
                                .contains("\"is_final\":false"),
                () -> ask("GET", "/api/billing/usage?limit=100", null));
        assertThat(billed()).isEqualTo(accounted()).isNotEmpty();
        var total = accounted().values().stream().mapToLong(Long::longValue).sum();
        assertThat(new BigDecimal(field("total_cost", ask("GET", "/api/billing/summary", null))))
                .isEqualByComparingTo(BigDecimal.valueOf(total));
        assertThat(cloud("usage").out()).contains(total + ".00");
    }

    private static boolean launchedOnce(String wish, Map<String, String> key) {
        try {
            return call(token, "POST", "/api/sessions", wish, key).statusCode() < 300;
        } catch (Exception _) {
            return false; // it does not listen yet, or has just begun to
        }
    }

    /// GPU seconds by job, of jobs that are sessions.
    private static Map<String, Long> accounted() {
        var seconds = new HashMap<String, Long>();
        cluster.run("sacct", "-X", "-n", "-P", "-A", "cloud", "-o", "JobID,ElapsedRaw,AllocTRES")
                .out()
                .lines()
                .map(line -> line.split("\\|", -1))
                .filter(row -> Long.parseLong(row[1]) > 0)
                .forEach(row -> {
                    var gpus = Pattern.compile("gres/gpu=(\\d+)").matcher(row[2]);
                    if (gpus.find()) {
                        seconds.put(row[0], Long.parseLong(row[1]) * Long.parseLong(gpus.group(1)));
                    }
                });
        return seconds;
    }

    /// A GPU costs one for each second.
    private static Map<String, Long> billed() {
        var cost = new HashMap<String, Long>();
        var lines =
                Pattern.compile("\"job\":(\\d+).*?\"cost\":\"([0-9.]+)\"")
                        .matcher(ask("GET", "/api/billing/usage?limit=100", null));
        while (lines.find()) {
            var amount = new BigDecimal(lines.group(2)).longValueExact();
            if (amount > 0) {
                assertThat(cost.put(lines.group(1), amount)).as("billed twice").isNull();
            }
        }
        return cost;
    }

    // ---- who may ----

    @Test
    void personOfTheCloudSeesNoSessionOfAnothersAndCancelsNoJobByTheClustersOwnApi()
            throws Exception {
        cloud("launch", "--name=hers", "--gpu=none", "--cpus=1", "--time=30");
        running("hers");
        var session = session("hers");
        var job = session.replaceFirst("(?s).*\"spur_job_id\":(\\d+).*", "$1");
        var invitation =
                field(
                        "url",
                        ask("POST", "/api/admin/invitations", "{\"email\":\"eve@example.com\"}"));
        var eve =
                field(
                        "token",
                        call(
                                        null,
                                        "POST",
                                        "/api/auth/register",
                                        "{\"email\":\"eve@example.com\",\"username\":\"eve\",\"password\":\"%s\",\"invitation\":\"%s\"}"
                                                .formatted(
                                                        PASSWORD,
                                                        invitation.replaceFirst(".*=", "")))
                                .body());

        assertThat(call(eve, "GET", "/api/sessions", null).body()).isEqualTo("[]");
        assertThat(call(eve, "GET", "/api/sessions/" + field("id", session), null).statusCode())
                .isEqualTo(404);
        assertThat(call(eve, "DELETE", "/api/v1/jobs/" + job, null).statusCode()).isEqualTo(403);
        assertThat(call(null, "GET", "/api/v1/jobs", null).statusCode()).isEqualTo(401);
        assertThat(call(token, "DELETE", "/api/v1/jobs/" + job, null).statusCode()).isLessThan(300);
        end("hers");
    }

    // ---- how ----

    private static Ran cloud(String... words) {
        var command = new ArrayList<>(List.of("spur", "cloud"));
        command.addAll(List.of(words));
        var ran =
                cluster.run(Map.of("SPUR_CLOUD_TOKEN", token), "", command.toArray(String[]::new));
        assertThat(ran.exitCode()).as("%s: %s", command, ran.err()).isZero();
        return ran;
    }

    private static Ran ssh(String session, String command) {
        return cluster.run(
                "ssh",
                "-F",
                "none",
                "-p",
                cluster.local().layout().sshAddress().replaceFirst(".*:", ""),
                "-i",
                keys.resolve("key").toString(),
                "-o",
                "IdentitiesOnly=yes",
                "-o",
                "BatchMode=yes",
                "-o",
                "StrictHostKeyChecking=accept-new",
                "-o",
                "UserKnownHostsFile=" + keys.resolve("known_hosts"),
                session + "@127.0.0.1",
                command);
    }

    private static String session(String name) {
        return ask("GET", "/api/sessions?q=" + name, null);
    }

    private static void running(String name) {
        Eventually.until(
                () -> session(name).contains("\"state\":\"running\""), () -> session(name));
    }

    private static void end(String... names) {
        for (var name : names) {
            if (!session(name).contains("\"state\":\"c")) {
                cluster.run(Map.of("SPUR_CLOUD_TOKEN", token), "", "spur", "cloud", "stop", name);
            }
        }
        for (var name : names) {
            Eventually.until(
                    () -> session(name).matches("(?s).*\"state\":\"c(ancelled|ompleted)\".*"),
                    () -> session(name));
        }
    }

    private static String field(String name, String json) {
        var found = Pattern.compile("\"%s\":\"([^\"]*)\"".formatted(name)).matcher(json);
        assertThat(found.find()).as(json).isTrue();
        return found.group(1);
    }

    private static String ask(String method, String path, @Nullable String body) {
        try {
            var answer = call(token, method, path, body);
            assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
            return answer.body();
        } catch (Exception e) {
            throw new AssertionError(method + " " + path, e);
        }
    }

    private static HttpResponse<String> call(
            @Nullable String as, String method, String path, @Nullable String body)
            throws Exception {
        return call(as, method, path, body, Map.of());
    }

    private static HttpResponse<String> call(
            @Nullable String as,
            String method,
            String path,
            @Nullable String body,
            Map<String, String> headers)
            throws Exception {
        var request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://" + cluster.local().layout().cloudAddress() + path))
                        .header("Content-Type", "application/json")
                        .method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body));
        headers.forEach(request::header);
        if (as != null) {
            request.header("Authorization", "Bearer " + as);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
