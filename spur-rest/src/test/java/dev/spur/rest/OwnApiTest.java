package dev.spur.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.api.v1.WatchRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The API of our own.
class OwnApiTest {
    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = new Service();
        IntStream.range(100, 350)
                .forEach(id ->
                        service.controller.put(
                                FakeController.job(id).toBuilder().setPriority(1000 - id).build()));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void theLinesOfTheSeedWorkAsWritten() {
        var told =
                service.send(
                        "POST",
                        "/api/v1/job/submit",
                        "{\"job\": {\"name\": \"test\", \"partition\": \"gpu\", \"nodes\": 2, \"script\": \"#!/bin/bash\\necho hello\"}}");

        assertThat(told.status()).as(told.text()).isEqualTo(201);
        assertThat(told.json().path("job_id").asInt()).isEqualTo(8);
        assertThat(told.header("location")).isEqualTo("/api/v1/jobs/8");
        var spec = last(SubmitJobRequest.class).getSpec();
        assertThat(spec.getName()).isEqualTo("test");
        assertThat(spec.getComponents(0).getMinNodes()).isEqualTo(2);
        assertThat(spec.getWorkDir()).startsWith("/");
        assertThat(service.get("/api/v1/jobs").status()).isEqualTo(200);
        assertThat(service.get("/api/v1/ping").json().path("cluster").asString()).isEqualTo("one");
    }

    @Test
    void aListIsSortedCutAndReducedToFields() {
        var first =
                service.get("/api/v1/jobs?fields=id,priority&sort=-priority&limit=3&after=1")
                        .json();

        assertThat(first.path("jobs").toString())
                .isEqualTo(
                        "[{\"id\":101,\"priority\":899},{\"id\":102,\"priority\":898},{\"id\":103,\"priority\":897}]");
        assertThat(first.path("next").asString()).isEqualTo("4");
        assertThat(first.path("total").asInt()).isEqualTo(251);
    }

    @Test
    void everyFieldChooses() {
        assertThat(service.get("/api/v1/jobs?priority=900").json().path("total").asInt())
                .isEqualTo(1);
        assertThat(service.get("/api/v1/nodes?states=DRAIN").json().path("total").asInt())
                .isEqualTo(1);
        assertThat(service.get("/api/v1/nodes?states=IDLE").json().path("total").asInt()).isZero();
    }

    @Test
    void whatHasNotChangedIsNotSentAgain() {
        var first = service.get("/api/v1/nodes");

        var again = service.get("/api/v1/nodes", "If-None-Match", first.header("etag"));

        assertThat(again.status()).isEqualTo(304);
        assertThat(again.text()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/jobs/99, 404, INVALID_JOB",
        "GET, /api/v1/jobs/x, 404, INVALID_JOB",
        "GET, /api/v1/jobs?limit=x, 400, BAD_QUERY",
        "GET, /api/v1/jobs?sort=nonsense, 400, BAD_QUERY",
        "GET, /api/v1/jobs?fields=nonsense, 400, BAD_QUERY",
        "GET, /api/v1/nodes?nonsense=1, 400, BAD_QUERY",
        "GET, /api/v1/nothing, 404, NO_SUCH_PATH",
        "POST, /api/v1/nodes, 405, NO_SUCH_METHOD",
        "POST, /api/v1/jobs/99/hold, 404, NOT_FOUND",
        "GET, /api/v1/usage/cluster, 502, NO_ACCOUNTING",
    })
    void aProblemSaysWhatItIs(String method, String path, int status, String code) {
        var told = service.send(method, path, "");

        assertThat(told.status()).as(told.text()).isEqualTo(status);
        assertThat(told.header("content-type")).isEqualTo("application/problem+json");
        assertThat(told.json().path("code").asString()).isEqualTo(code);
        assertThat(told.json().path("because").asString()).isNotEmpty();
    }

    @Test
    void aJobIsChanged() {
        var told =
                service.send("PATCH", "/api/v1/jobs/7", "{\"comment\": \"mine\", \"hold\": true}");

        assertThat(told.status()).as(told.text()).isEqualTo(200);
        assertThat(told.json().path("id").asInt()).isEqualTo(7);
        assertThat(last(UpdateJobsRequest.class).getChangesMap())
                .isEqualTo(Map.of("Comment", "mine"));
        assertThat(service.send("PATCH", "/api/v1/jobs/7", "{\"colour\": \"red\"}").status())
                .isEqualTo(400);
    }

    @Test
    void aJobIsChangedAsAnExplanationSuggests() {
        var told =
                service.send(
                        "PATCH",
                        "/api/v1/jobs/7",
                        "{\"update\": [\"NumNodes=1\", \"Gres=gpu:2\"]}");

        assertThat(told.status()).as(told.text()).isEqualTo(200);
        assertThat(last(UpdateJobsRequest.class).getChangesMap())
                .isEqualTo(Map.of("NumNodes", "1", "Gres", "gpu:2"));
        assertThat(service.send("PATCH", "/api/v1/jobs/7", "{\"update\": [\"NumNodes\"]}").status())
                .isEqualTo(400);
    }

    @Test
    void eventsGoOnWhereTheyEnded() throws Exception {
        var request =
                HttpRequest.newBuilder(service.uri("/api/v1/events"))
                        .header("Last-Event-ID", "41")
                        .build();
        var response = service.http().send(request, BodyHandlers.ofInputStream());

        try (var lines =
                new BufferedReader(
                        new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            var line = lines.readLine();
            while (line == null || !line.startsWith("id: ")) {
                line = lines.readLine();
            }
            assertThat(line).isEqualTo("id: 42");
            assertThat(lines.readLine()).isEqualTo("event: change");
            assertThat(lines.readLine())
                    .startsWith("data: {\"begins_anew\":false,\"jobs\":[{\"id\":7,");
        }
        assertThat(last(WatchRequest.class).getCursor()).isEqualTo("41");
    }

    @Test
    void theDocumentDescribesEveryRoute() {
        var document = service.get("/api/v1/openapi.json").json();

        assertThat(document.path("openapi").asString()).isEqualTo("3.1.0");
        assertThat(
                        document.at(
                                        "/paths/~1api~1v1~1jobs/get/responses/200/content/application~1json/schema/properties/jobs/items/$ref")
                                .asString())
                .isEqualTo("#/components/schemas/Job");
        assertThat(document.at("/components/schemas/Job/properties/submitted_at/format").asString())
                .isEqualTo("date-time");
        var text = document.toString();
        java.util.regex.Pattern.compile("#/components/schemas/(\\w+)")
                .matcher(text)
                .results()
                .forEach(reference ->
                        assertThat(
                                        document.at("/components/schemas/" + reference.group(1))
                                                .isObject())
                                .as(reference.group(1))
                                .isTrue());
    }

    private static <M> M last(Class<M> type) {
        return service.controller.asked.reversed().stream()
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElseThrow();
    }
}
