package dev.spur.cloud.auth;

import dev.spur.runtime.http.Json;
import dev.spur.runtime.http.Problem;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/// HTTP to other providers: short waits, no redirects, bounded answers, and words that tell nothing
/// of what a provider said.
final class ProviderClient {
    private static final Duration WAIT = Duration.ofSeconds(10);
    private static final int LARGEST = 1 << 20;

    private final HttpClient http =
            HttpClient.newBuilder()
                    .connectTimeout(WAIT)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .build();
    private final String provider;

    ProviderClient(String provider) {
        this.provider = provider;
    }

    JsonNode get(String address, Map<String, String> headers) {
        var request = HttpRequest.newBuilder(URI.create(address)).GET();
        headers.forEach(request::header);
        return send(request);
    }

    JsonNode post(String address, Map<String, String> form, Map<String, String> headers) {
        var request =
                HttpRequest.newBuilder(URI.create(address))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(encoded(form)));
        headers.forEach(request::header);
        return send(request);
    }

    static String encoded(Map<String, String> form) {
        return form.entrySet().stream()
                .map(field ->
                        URLEncoder.encode(field.getKey(), StandardCharsets.UTF_8)
                                + "="
                                + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    private JsonNode send(HttpRequest.Builder request) {
        try {
            var reply =
                    http.send(
                            request.timeout(WAIT)
                                    .header("Accept", "application/json")
                                    .header("User-Agent", "spur-cloud")
                                    .build(),
                            HttpResponse.BodyHandlers.ofInputStream());
            try (var body = reply.body()) {
                var bytes = body.readNBytes(LARGEST + 1);
                if (reply.statusCode() != 200 || bytes.length > LARGEST) {
                    throw failed("answered with status %d".formatted(reply.statusCode()), null);
                }
                return Json.MAPPER.readTree(bytes);
            }
        } catch (IOException | JacksonException e) {
            throw failed("did not answer as it should", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("was not waited for", e);
        }
    }

    private Problem failed(String how, @org.jspecify.annotations.Nullable Throwable cause) {
        var problem =
                Problem.of(
                        502,
                        "provider-failed",
                        "%s %s.".formatted(provider, how),
                        "Try again in a moment.");
        return cause == null ? problem : problem.causedBy(cause);
    }
}
