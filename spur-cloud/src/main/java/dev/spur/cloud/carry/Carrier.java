package dev.spur.cloud.carry;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Needs;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Incoming;
import dev.spur.runtime.http.Problem;
import dev.spur.runtime.http.Router;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries `/api/v1` to spurrestd in the name of whoever is signed in.
///
/// Of a request its method, path, query, body and a few headers go on; who asks goes on as a token
/// of the cluster, which lasts minutes. Cookies and the platform's own tokens stay here. Of an
/// answer its status, body and a few headers come back, problem documents as they are, bit by bit
/// where they last.
public final class Carrier implements Router.Fallback, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Carrier.class);
    private static final String BELOW = "/api/v1/";

    /// Node names may have brackets, which browsers escape; nothing else is needed in paths.
    private static final Pattern PATH =
            Pattern.compile("/api/v1/[A-Za-z0-9/._~%,\\[\\]:@=+-]{1,1000}");

    private static final Pattern CLIMBS =
            Pattern.compile("(?i)/(\\.|%2e){1,2}(/|$)|%2f|%5c|%00|//");
    private static final int LONGEST_QUERY = 8192;
    private static final int LARGEST_BODY = 8 << 20;
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");
    private static final List<String> GO_ON =
            List.of(
                    "Accept",
                    "Content-Type",
                    "Idempotency-Key",
                    "If-Match",
                    "If-None-Match",
                    "Last-Event-ID");
    private static final List<String> COME_BACK =
            List.of(
                    "Allow",
                    "Cache-Control",
                    "Content-Disposition",
                    "ETag",
                    "Location",
                    "Retry-After",
                    "Vary");
    private static final Duration CONNECTS_WITHIN = Duration.ofSeconds(5);
    private static final Duration BEGINS_TO_ANSWER_WITHIN = Duration.ofSeconds(90);
    private static final int PIECE = 16 << 10;

    private final URI rest;
    private final HttpClient http;
    private final ClusterTokens tokens;
    private final Admission admission;
    private final Places places = new Places();
    private final OpenAnswers open;

    /// Says who asks, or refuses.
    @FunctionalInterface
    public interface Admission {
        Caller.Person admit(List<String> needs, Incoming request);
    }

    /// @param tls who is believed to be spurrestd; null where it is on this host without TLS
    /// @param isStillThere whether somebody who was admitted still would be
    public Carrier(
            RestAddress rest,
            @Nullable SSLContext tls,
            ClusterTokens tokens,
            Admission admission,
            Predicate<Caller.Person> isStillThere) {
        this.rest = rest.uri();
        this.tokens = tokens;
        this.admission = admission;
        this.open = new OpenAnswers(isStillThere);
        var builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .executor(Executors.newVirtualThreadPerTaskExecutor())
                        .connectTimeout(CONNECTS_WITHIN);
        if (rest.isEncrypted() && tls != null) {
            builder.sslContext(tls);
        }
        this.http = builder.build();
    }

    @Override
    public Optional<Answer> answer(Incoming request) throws InterruptedException {
        if (!request.path().startsWith(BELOW)) {
            return Optional.empty();
        }
        var person = admission.admit(List.of(Needs.SESSIONS), request);
        if (!METHODS.contains(request.method())) {
            throw Problem.of(
                    405,
                    "method-not-allowed",
                    "%s is not possible here.".formatted(request.method()),
                    "");
        }
        var place = places.enter(person.id());
        try {
            return Optional.of(answered(send(request, person, place), person, place));
        } catch (IOException e) {
            place.close();
            throw away(e);
        } catch (RuntimeException | InterruptedException e) {
            place.close();
            throw e;
        }
    }

    private HttpResponse<InputStream> send(
            Incoming request, Caller.Person person, Places.Place place)
            throws IOException, InterruptedException {
        var onward =
                HttpRequest.newBuilder(address(request))
                        .timeout(BEGINS_TO_ANSWER_WITHIN)
                        .header("X-Request-Id", request.id())
                        .header("Authorization", "Bearer " + tokens.of(person))
                        .method(request.method(), body(request, place));
        for (var name : GO_ON) {
            request.header(name).ifPresent(value -> onward.header(name, value));
        }
        return http.send(onward.build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    /// Whatever is asked for, it is asked of spurrestd and below `/api/v1`.
    private URI address(Incoming request) {
        var path = request.rawPath();
        var query = request.rawQuery();
        if (!PATH.matcher(path).matches() || CLIMBS.matcher(path).find()) {
            throw Problem.of(404, "no-such-path", "There is nothing at this path.", "");
        }
        if (query.length() > LONGEST_QUERY) {
            throw Problem.of(414, "query-too-long", "The query is too long.", "Ask for less.");
        }
        var escaped = path.replace("[", "%5B").replace("]", "%5D");
        try {
            return URI.create(rest + escaped + (query.isEmpty() ? "" : "?" + query));
        } catch (IllegalArgumentException e) {
            throw Problem.of(400, "invalid-query", "The query cannot be read.", "Escape it.")
                    .causedBy(e);
        }
    }

    private static HttpRequest.BodyPublisher body(Incoming request, Places.Place place)
            throws IOException {
        if (!request.hasBody()) {
            return HttpRequest.BodyPublishers.noBody();
        }
        place.hold(announced(request));
        return HttpRequest.BodyPublishers.ofByteArray(request.body(LARGEST_BODY));
    }

    private static long announced(Incoming request) {
        return request.header("Content-Length")
                .filter(text -> text.matches("[0-9]{1,9}"))
                .map(Long::parseLong)
                .filter(size -> size <= LARGEST_BODY)
                .orElse((long) LARGEST_BODY);
    }

    private Answer answered(
            HttpResponse<InputStream> reply, Caller.Person person, Places.Place place)
            throws IOException {
        var status = reply.statusCode();
        if (status == 401) {
            // whoever asks is signed in: it is our word that was not taken
            reply.body().close();
            LOG.atWarn()
                    .addKeyValue("person", person.email())
                    .log("spurrestd took no token of ours");
            throw Problem.of(
                    502,
                    "cluster-did-not-take-token",
                    "The cluster does not know you by the word of this service.",
                    "Try again. If it stays so, tell your administrator.");
        }
        var type = reply.headers().firstValue("Content-Type").orElse("");
        var hasBody = status != 204 && status != 304 && !type.isEmpty();
        var answer =
                new Answer(
                        status,
                        Map.of(),
                        hasBody ? new Answer.Streamed(type, writer(reply, person, place)) : null);
        for (var name : COME_BACK) {
            var value = reply.headers().firstValue(name);
            if (value.isPresent()) {
                answer = answer.with(name, value.get());
            }
        }
        if (!hasBody) {
            reply.body().close();
            place.close();
        }
        return answer;
    }

    private Answer.Writer writer(
            HttpResponse<InputStream> reply, Caller.Person person, Places.Place place) {
        return out -> {
            var body = reply.body();
            var done = open.add(person, body);
            try (place;
                    body) {
                copy(body, out);
            } finally {
                done.run();
            }
        };
    }

    /// Nothing is held back: somebody may watch.
    private static void copy(InputStream in, OutputStream out) throws IOException {
        var piece = new byte[PIECE];
        for (var count = in.read(piece); count >= 0; count = in.read(piece)) {
            out.write(piece, 0, count);
            if (in.available() == 0) {
                out.flush();
            }
        }
    }

    private static Problem away(IOException e) {
        if (e instanceof HttpTimeoutException
                && !(e instanceof java.net.http.HttpConnectTimeoutException)) {
            return Problem.of(
                            504,
                            "cluster-too-slow",
                            "The cluster did not answer in time.",
                            "Ask for less, or try again.")
                    .causedBy(e);
        }
        LOG.atWarn().setCause(e).log("spurrestd cannot be reached");
        return Problem.of(
                        503,
                        "cluster-away",
                        "The cluster's own API cannot be reached.",
                        "Try again in a moment.")
                .with("Retry-After", "5")
                .causedBy(e);
    }

    @Override
    public void close() {
        open.close();
        http.shutdownNow();
    }
}
