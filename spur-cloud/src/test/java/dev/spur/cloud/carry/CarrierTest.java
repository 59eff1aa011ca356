package dev.spur.cloud.carry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cloud.access.Caller;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.HttpPort;
import dev.spur.runtime.http.Incoming;
import dev.spur.runtime.http.Problem;
import dev.spur.runtime.http.Router;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What goes on to spurrestd, and what comes back.
class CarrierTest {
    private static final Caller.Person ALICE =
            new Caller.Person(
                    UUID.randomUUID(),
                    "alice@example.com",
                    "alice",
                    false,
                    UUID.randomUUID(),
                    null,
                    Set.of("sessions"),
                    Instant.EPOCH);

    /// A request as spurrestd saw it.
    private record Seen(String method, String path, String query, String body, Incoming request) {}

    private final BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> gone = new LinkedBlockingQueue<>();
    private final AtomicBoolean isStillThere = new AtomicBoolean(true);
    private Router.Fallback behaviour = _ -> Optional.of(Answer.ok(Map.of("jobs", List.of())));

    private final HttpPort rest = port(this::record);
    private final Carrier carrier =
            new Carrier(
                    RestAddress.parse("http://127.0.0.1:" + rest.number()),
                    null,
                    person -> "token-of-" + person.username(),
                    (_, _) -> ALICE,
                    _ -> isStillThere.get());
    private final HttpPort cloud = port(carrier);
    private final HttpClient http = HttpClient.newHttpClient();

    private static HttpPort port(Router.Fallback fallback) {
        return HttpPort.open(
                HostAndPort.parse("127.0.0.1:0", 0),
                new Router<Object>(
                        List.of(), (_, _) -> "", _ -> Optional.empty(), 1 << 20, fallback));
    }

    private Optional<Answer> record(Incoming request) throws Exception {
        var body =
                request.hasBody() ? new String(request.body(16 << 20), StandardCharsets.UTF_8) : "";
        seen.add(new Seen(request.method(), request.rawPath(), request.rawQuery(), body, request));
        return behaviour.answer(request);
    }

    @AfterEach
    void stop() {
        cloud.close();
        carrier.close();
        rest.close();
    }

    private HttpResponse<String> send(String method, String path, String body, String... headers)
            throws Exception {
        return http.send(
                request(method, path, body, headers), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest request(String method, String path, String body, String... headers) {
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cloud.number() + path))
                        .method(
                                method,
                                body.isEmpty()
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body));
        return headers.length == 0 ? request.build() : request.headers(headers).build();
    }

    @Test
    void whoAsksGoesOnAsATokenOfTheClusterAndNeitherCookiesNorTheirOwnTokensDo() throws Exception {
        var reply =
                send(
                        "POST",
                        "/api/v1/jobs?dry=1&name=a%20b",
                        "{\"script\":\"#!/bin/sh\"}",
                        "Content-Type",
                        "application/json",
                        "Cookie",
                        "spur_access=secret; spur_csrf=other",
                        "Authorization",
                        "Bearer the-platforms",
                        "X-SLURM-USER-NAME",
                        "root",
                        "X-Forwarded-For",
                        "10.0.0.1",
                        "Idempotency-Key",
                        "once",
                        "X-Request-Id",
                        "request-4711");

        assertThat(reply.statusCode()).isEqualTo(200);
        var arrived = seen.take();
        assertThat(arrived.method()).isEqualTo("POST");
        assertThat(arrived.path()).isEqualTo("/api/v1/jobs");
        assertThat(arrived.query()).isEqualTo("dry=1&name=a%20b");
        assertThat(arrived.body()).isEqualTo("{\"script\":\"#!/bin/sh\"}");
        assertThat(arrived.request().header("Authorization")).contains("Bearer token-of-alice");
        assertThat(arrived.request().header("Idempotency-Key")).contains("once");
        assertThat(arrived.request().id()).isEqualTo("request-4711");
        for (var kept : List.of("Cookie", "X-SLURM-USER-NAME", "X-Forwarded-For")) {
            assertThat(arrived.request().header(kept)).as(kept).isEmpty();
        }
    }

    @Test
    void problemDocumentsComeBackAsTheyAre() throws Exception {
        behaviour =
                _ -> {
                    throw Problem.of(409, "held", "The job is held.", "Release it first.");
                };

        var reply = send("POST", "/api/v1/jobs/7/cancel", "");

        assertThat(reply.statusCode()).isEqualTo(409);
        assertThat(reply.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(reply.body()).contains("\"held\"").contains("Release it first.");
    }

    @Test
    void whatHasNotChangedIsNotSentAgain() throws Exception {
        var first = send("GET", "/api/v1/jobs", "");
        var tag = first.headers().firstValue("ETag").orElseThrow();

        var second = send("GET", "/api/v1/jobs", "", "If-None-Match", tag);

        assertThat(first.body()).isEqualTo("{\"jobs\":[]}");
        assertThat(second.statusCode()).isEqualTo(304);
        assertThat(second.headers().firstValue("ETag")).contains(tag);
    }

    @Test
    void cookiesOfTheOtherSideAndItsRefusalOfOurTokenStayHere() throws Exception {
        behaviour = _ -> Optional.of(new Answer(401, Map.of(), null).with("Set-Cookie", "a=b"));

        var reply = send("GET", "/api/v1/jobs", "");

        assertThat(reply.statusCode()).isEqualTo(502);
        assertThat(reply.headers().firstValue("Set-Cookie")).isEmpty();
        assertThat(reply.body()).contains("cluster-did-not-take-token");
    }

    @Test
    void nothingButTheApiOfTheClusterIsReached() throws Exception {
        for (var path :
                List.of(
                        "/api/v1/../../slurm/v0.0.42/jobs",
                        "/api/v1/%2e%2e/%2e%2e/slurm/v0.0.42/jobs",
                        "/api/v1/..%2f..%2fopenapi.json",
                        "/api/v1//other.example.com/x")) {
            assertThat(send("GET", path, "").statusCode()).as(path).isEqualTo(404);
        }
        assertThat(seen).isEmpty();
    }

    @Test
    void eventsArriveWhileTheStreamIsOpenAndTheSourceLearnsThatTheReaderHasGone() throws Exception {
        behaviour = this::stream;
        var reply = stream();
        try (var body = new BufferedReader(new InputStreamReader(reply, StandardCharsets.UTF_8))) {
            lines.add("data: one\n");
            assertThat(nextLine(body)).isEqualTo("data: one");
            lines.add("data: two\n");
            assertThat(nextLine(body)).isEqualTo("data: two");
        }

        assertThat(goneWithin()).isEqualTo("gone");
    }

    @Test
    void aStreamEndsWhenItsReaderMayNotGoOn() throws Exception {
        behaviour = this::stream;
        try (var body = stream()) {
            assertThat(body.read()).isEqualTo(':');

            isStillThere.set(false);

            assertThat(rest(body)).isLessThan(1000);
        }
        assertThat(goneWithin()).isEqualTo("gone");
    }

    private static int rest(InputStream body) {
        try {
            return body.readAllBytes().length;
        } catch (IOException _) {
            return 0; // cut off, which a reader of events takes for a lost connection
        }
    }

    @Test
    void anAnswerThatBreaksOffIsNotTakenForTheWhole() throws Exception {
        behaviour =
                _ ->
                        Optional.of(
                                Answer.streamed(
                                        "application/json",
                                        out -> {
                                            out.write(
                                                    "{\"jobs\":[".getBytes(StandardCharsets.UTF_8));
                                            out.flush();
                                            throw new IOException("broken");
                                        }));

        assertThat(
                        org.assertj.core.api.Assertions.catchThrowable(
                                () -> send("GET", "/api/v1/jobs", "")))
                .isInstanceOf(IOException.class);
    }

    @Test
    void onePersonHasOnlySoManyRequestsUnderWay() throws Exception {
        behaviour = this::stream;
        var open = new java.util.ArrayList<InputStream>();
        for (var i = 0; i < Places.MOST_OF_ONE_PERSON; i++) {
            var body = stream();
            assertThat(body.read()).isEqualTo(':');
            open.add(body);
        }

        var refused = send("GET", "/api/v1/events", "");

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        isStillThere.set(false);
        for (var body : open) {
            body.close();
        }
    }

    @Test
    void whileSpurrestdIsAwayPeopleAreToldSoWithoutItsAddress() throws Exception {
        rest.close();

        var reply = send("GET", "/api/v1/jobs", "");

        assertThat(reply.statusCode()).isEqualTo(503);
        assertThat(reply.body()).contains("cluster-away").doesNotContain("127.0.0.1");
    }

    @Test
    void tokensAreNotSentOverTheNetworkInClear() {
        assertThat(
                        org.assertj.core.api.Assertions.catchThrowable(
                                () -> RestAddress.parse("http://192.0.2.7:6820")))
                .hasMessageContaining("Use https://");
        assertThat(RestAddress.parse("127.0.0.1").uri().toString())
                .isEqualTo("http://127.0.0.1:6820");
        assertThat(RestAddress.parse("https://192.0.2.7").isEncrypted()).isTrue();
    }

    private Optional<Answer> stream(Incoming request) {
        return Optional.of(
                Answer.streamed(
                        "text/event-stream",
                        out -> {
                            try {
                                while (true) {
                                    var line = lines.poll(50, TimeUnit.MILLISECONDS);
                                    out.write(
                                            (line == null ? ":\n" : line)
                                                    .getBytes(StandardCharsets.UTF_8));
                                    out.flush();
                                }
                            } catch (IOException | java.io.UncheckedIOException e) {
                                gone.add("gone");
                                throw e;
                            }
                        }));
    }

    /// Without those that only show that the stream is open.
    private static String nextLine(BufferedReader body) throws IOException {
        while (true) {
            var line = String.valueOf(body.readLine());
            if (!line.equals(":")) {
                return line;
            }
        }
    }

    private InputStream stream() throws Exception {
        return http.send(
                        request("GET", "/api/v1/events", ""),
                        HttpResponse.BodyHandlers.ofInputStream())
                .body();
    }

    private String goneWithin() throws InterruptedException {
        return String.valueOf(gone.poll(20, TimeUnit.SECONDS));
    }
}
