package dev.spur.cli.cloud;

import dev.spur.cli.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The cloud's API. Waits and answers have bounds; redirects are not followed, so a token goes
/// nowhere but to the address it belongs to.
final class CloudClient {
    static final int REFUSED = 1;
    static final int NOT_SIGNED_IN = 3;
    static final int NOT_THERE = 4;
    static final int AWAY = 5;

    static final JsonMapper JSON =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(50)
                                                    .build())
                                    .build())
                    .build();
    private static final Duration CONNECTS_WITHIN = Duration.ofSeconds(5);
    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(60);
    private static final int LARGEST = 16 << 20;

    private final String url;
    private final String token;
    private final HttpClient http;

    private CloudClient(String url, String token, HttpClient http) {
        this.url = url;
        this.token = token;
        this.http = http;
    }

    /// @param url as somebody wrote it
    /// @param tls who is believed beside those whom Java believes; null: nobody
    static CloudClient of(String url, String token, @Nullable SSLContext tls) {
        var builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECTS_WITHIN)
                        .followRedirects(HttpClient.Redirect.NEVER);
        if (tls != null) {
            builder.sslContext(tls);
        }
        return new CloudClient(address(url), token, builder.build());
    }

    CloudClient with(String other) {
        return new CloudClient(url, other, http);
    }

    String url() {
        return url;
    }

    /// Passwords and tokens do not travel in clear, except within this host.
    private static String address(String said) {
        try {
            var uri = URI.create(said.contains("://") ? said : "https://" + said);
            var scheme = String.valueOf(uri.getScheme());
            var host = uri.getHost();
            if (host == null
                    || !scheme.matches("https?")
                    || !uri.getPath().replace("/", "").isEmpty()
                    || uri.getQuery() != null
                    || uri.getUserInfo() != null) {
                throw new Failure(
                        "\"%s\" is not an address as in https://gpu.example.com".formatted(said));
            }
            if (scheme.equals("http") && !isLoopback(host)) {
                throw new Failure(
                        "%s would send passwords and tokens in clear. Use https://"
                                .formatted(said));
            }
            return scheme + "://" + uri.getAuthority();
        } catch (IllegalArgumentException e) {
            throw new Failure("\"%s\" is not an address: %s".formatted(said, e.getMessage()));
        }
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException _) {
            return false;
        }
    }

    /// The cloud said no.
    static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final int status;
        private final String code;

        Refusal(int status, String code, String message) {
            super(message, null, false, false);
            this.status = status;
            this.code = code;
        }

        int status() {
            return status;
        }

        String code() {
            return code;
        }

        Failure failure() {
            var exit =
                    switch (status) {
                        case 401 -> NOT_SIGNED_IN;
                        case 404 -> NOT_THERE;
                        case 502, 503, 504 -> AWAY;
                        default -> REFUSED;
                    };
            var more = status == 401 ? "\nSign in: spur cloud login" : "";
            return new Failure(exit, getMessage() + more);
        }
    }

    JsonNode get(String path, Map<String, String> query) {
        return read(send("GET", path + text(query), null, ANSWERS_WITHIN));
    }

    JsonNode send(String method, String path, @Nullable Object body) {
        return read(send(method, path, body, ANSWERS_WITHIN));
    }

    /// Whatever comes, as it comes.
    InputStream stream(String path, Map<String, String> query) {
        return send("GET", path + text(query), null, ANSWERS_WITHIN).body();
    }

    private HttpResponse<InputStream> send(
            String method, String path, @Nullable Object body, Duration within) {
        var request =
                HttpRequest.newBuilder(URI.create(url + path))
                        .timeout(within)
                        .header("Accept", "application/json")
                        .header("User-Agent", "spur-cli")
                        .method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofByteArray(
                                                JSON.writeValueAsBytes(body)));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            var reply = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            if (reply.statusCode() >= 300) {
                throw refusal(reply);
            }
            return reply;
        } catch (IOException e) {
            throw new Failure(
                    AWAY,
                    "%s does not answer: %s"
                            .formatted(url, e.getMessage() == null ? e : e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted");
        }
    }

    private static JsonNode read(HttpResponse<InputStream> reply) {
        var bytes = bytes(reply);
        try {
            return bytes.length == 0 ? JSON.createObjectNode() : JSON.readTree(bytes);
        } catch (JacksonException e) {
            throw new Failure(AWAY, "the answer is not one of a Spur cloud: is the address right?");
        }
    }

    private static byte[] bytes(HttpResponse<InputStream> reply) {
        try (var body = reply.body()) {
            var bytes = body.readNBytes(LARGEST + 1);
            if (bytes.length > LARGEST) {
                throw new Failure("the answer is too large: ask for less");
            }
            return bytes;
        } catch (IOException e) {
            throw new Failure(AWAY, "the answer broke off: " + e.getMessage());
        }
    }

    private static Refusal refusal(HttpResponse<InputStream> reply) {
        var status = reply.statusCode();
        try {
            var problem = JSON.readTree(bytes(reply));
            var text = new StringBuilder(problem.path("detail").asString("refused"));
            for (var field : problem.path("fields")) {
                text.append("\n  ")
                        .append(field.path("field").asString(""))
                        .append(' ')
                        .append(field.path("because").asString(""));
            }
            var remedy = problem.path("remedy").asString("");
            if (!remedy.isEmpty()) {
                text.append('\n').append(remedy);
            }
            return new Refusal(status, problem.path("code").asString(""), printable(text));
        } catch (JacksonException _) {
            return new Refusal(status, "", "the answer has status %d".formatted(status));
        }
    }

    /// What others wrote cannot steer the terminal.
    static String printable(CharSequence text) {
        return text.toString().replaceAll("[\\p{Cntrl}&&[^\\n\\t]]", "?");
    }

    private static String text(Map<String, String> query) {
        return query.isEmpty()
                ? ""
                : query.entrySet().stream()
                        .map(each ->
                                each.getKey()
                                        + "="
                                        + URLEncoder.encode(
                                                each.getValue(), StandardCharsets.UTF_8))
                        .sorted()
                        .collect(Collectors.joining("&", "?", ""));
    }
}
