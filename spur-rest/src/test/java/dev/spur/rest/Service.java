package dev.spur.rest;

import dev.spur.model.notation.HostAndPort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A REST service in front of a pretended controller, and somebody who asks it.
final class Service implements AutoCloseable {
    private static final JsonMapper MAPPER = new JsonMapper();

    final FakeController controller;
    final RestService service;
    private final HttpClient http = HttpClient.newHttpClient();

    Service() throws IOException {
        controller = new FakeController();
        service =
                RestService.start(
                        new RestOptions(
                                List.of(controller.address()),
                                new HostAndPort("127.0.0.1", 0),
                                null,
                                false,
                                Set.of(),
                                InstantSource.system()));
    }

    /// What came back.
    record Told(int status, String text, HttpResponse<String> response) {
        JsonNode json() {
            return MAPPER.readTree(text);
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:%d%s".formatted(service.address().getPort(), path));
    }

    HttpClient http() {
        return http;
    }

    Told get(String path, String... headers) {
        return send("GET", path, "", headers);
    }

    Told send(String method, String path, String body, String... headers) {
        var request =
                HttpRequest.newBuilder(uri(path))
                        .timeout(Duration.ofSeconds(20))
                        .method(
                                method,
                                body.isEmpty()
                                        ? BodyPublishers.noBody()
                                        : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            var response = http.send(request.build(), BodyHandlers.ofString());
            return new Told(response.statusCode(), response.body(), response);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(method + " " + path, e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
        service.close();
        controller.close();
    }
}
