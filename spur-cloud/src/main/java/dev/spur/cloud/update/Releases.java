package dev.spur.cloud.update;

import dev.spur.cloud.config.UpdateSection.Channel;
import dev.spur.runtime.http.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/// Releases as GitHub's API lists them: `GET SOURCE/releases`.
final class Releases {
    private static final Duration WAIT = Duration.ofSeconds(10);
    private static final int LARGEST = 2 << 20;

    private final String source;
    private final HttpClient http =
            HttpClient.newBuilder()
                    .connectTimeout(Duration.ofSeconds(5))
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .build();

    /// @param source as in https://api.github.com/repos/OWNER/NAME
    Releases(String source) {
        this.source = source.endsWith("/") ? source.substring(0, source.length() - 1) : source;
    }

    /// @param version as it is tagged
    /// @param url where people read about it
    record Release(String version, String url) {}

    /// The newest of a channel; empty if there is none.
    ///
    /// @throws IOException if nobody answers, or not as expected
    Optional<Release> newest(Channel channel) throws IOException, InterruptedException {
        return StreamSupport.stream(listed().spliterator(), false)
                .filter(release -> !release.path("draft").asBoolean(false))
                .filter(release ->
                        channel == Channel.NIGHTLY || !release.path("prerelease").asBoolean(false))
                .map(Releases::versioned)
                .flatMap(Optional::stream)
                .filter(found -> channel == Channel.NIGHTLY || found.version().pre().isEmpty())
                .max(Comparator.comparing(Versioned::version))
                .map(Versioned::release);
    }

    private record Versioned(ReleaseVersion version, Release release) {}

    private static Optional<Versioned> versioned(JsonNode release) {
        var tag = release.path("tag_name").asString("");
        var url = release.path("html_url").asString("");
        // a link that people will follow
        var isLink = url.length() < 500 && url.matches("https?://[!-~&&[^\"<>\\\\^`{|}]]+");
        return ReleaseVersion.parse(tag)
                .map(version -> new Versioned(version, new Release(tag, isLink ? url : "")));
    }

    private JsonNode listed() throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(URI.create(source + "/releases?per_page=50"))
                        .timeout(WAIT)
                        .header("Accept", "application/json")
                        .header("User-Agent", "spur-cloud")
                        .build();
        var reply = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (var body = reply.body()) {
            var bytes = body.readNBytes(LARGEST + 1);
            if (reply.statusCode() != 200 || bytes.length > LARGEST) {
                throw failed("status %d".formatted(reply.statusCode()), null);
            }
            var listed = Json.MAPPER.readTree(bytes);
            if (!listed.isArray()) {
                throw failed("something else than a list", null);
            }
            return listed;
        } catch (JacksonException e) {
            throw failed("something else than JSON", e);
        }
    }

    private static IOException failed(String what, @Nullable Throwable cause) {
        return new IOException("the source of releases answered with " + what, cause);
    }
}
