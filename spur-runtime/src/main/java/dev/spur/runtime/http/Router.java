package dev.spur.runtime.http;

import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JavaType;

/// Leads each request to its endpoint and writes the answer. Whatever goes wrong on the way is
/// answered with a problem document; the id of the request is in it, in the log, and in the header
/// `X-Request-Id`.
///
/// @param <C> who calls
public final class Router<C> {
    private static final Logger LOG = LoggerFactory.getLogger(Router.class);

    /// A line for each request: who wants none turns this logger down.
    private static final Logger ACCESS = LoggerFactory.getLogger("access");

    private static final String ID = "X-Request-Id";
    private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{8,64}");

    private final List<Route<C>> routes = new ArrayList<>();
    private final Gate<C> gate;
    private final Function<Throwable, Optional<Problem>> faults;
    private final int largestBody;
    private final Fallback fallback;
    private final Observer observer;

    private record Route<C>(
            Endpoint<C> endpoint, Pattern pattern, List<String> names, @Nullable JavaType body) {}

    /// Answers requests of paths that no endpoint has; empty: there is nothing.
    @FunctionalInterface
    public interface Fallback {
        Optional<Answer> answer(Incoming request) throws Exception;
    }

    /// Told of each answer when it was sent.
    @FunctionalInterface
    public interface Observer {
        /// @param micros from when the request came until the answer was sent
        void answered(Incoming request, int status, long micros);
    }

    /// @param faults what a failure of something behind an endpoint means to callers; empty: an
    ///   error of ours
    /// @param largestBody in bytes
    public Router(
            List<Endpoint<C>> endpoints,
            Gate<C> gate,
            Function<Throwable, Optional<Problem>> faults,
            int largestBody,
            Fallback fallback) {
        this(endpoints, gate, faults, largestBody, fallback, (_, _, _) -> {});
    }

    /// @param observer told of each answer
    public Router(
            List<Endpoint<C>> endpoints,
            Gate<C> gate,
            Function<Throwable, Optional<Problem>> faults,
            int largestBody,
            Fallback fallback,
            Observer observer) {
        this.observer = observer;
        this.gate = gate;
        this.faults = faults;
        this.largestBody = largestBody;
        this.fallback = fallback;
        endpoints.forEach(endpoint ->
                routes.add(
                        new Route<>(
                                endpoint,
                                endpoint.pattern(),
                                names(endpoint.path()),
                                endpoint.body() == null
                                        ? null
                                        : Json.MAPPER.constructType(endpoint.body()))));
    }

    private static List<String> names(String path) {
        return Pattern.compile("\\{([a-z]+)}")
                .matcher(path)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    void handle(ServerRequest request, ServerResponse response) {
        var began = System.nanoTime();
        var incoming = new Incoming(request, requestId(request));
        var answer = answered(incoming);
        response.header(ID, incoming.id());
        response.header("X-Content-Type-Options", "nosniff");
        response.header("Referrer-Policy", "same-origin");
        if (!answer.headers().containsKey("Cache-Control")) {
            response.header("Cache-Control", "no-store");
        }
        answer.headers()
                .forEach((name, values) ->
                        response.header(HeaderNames.create(name), values.toArray(String[]::new)));
        var isWhole = written(incoming, answer, response);
        var micros = (System.nanoTime() - began) / 1000;
        observer.answered(incoming, answer.status(), micros);
        ACCESS.atInfo()
                .addKeyValue("request", incoming.id())
                .addKeyValue("method", incoming.method())
                .addKeyValue("path", incoming.path()) // never the query: it may hold secrets
                .addKeyValue("status", answer.status())
                .addKeyValue("from", incoming.remoteHost())
                .addKeyValue("micros", micros)
                .log("answered");
        if (!isWhole) {
            // the reader must not take a part for the whole: the connection breaks
            throw new CloseConnectionException("the answer could not be finished");
        }
    }

    private static boolean written(Incoming request, Answer answer, ServerResponse response) {
        try {
            write(request, answer, response);
            return true;
        } catch (IOException | UncheckedIOException e) {
            LOG.atDebug()
                    .addKeyValue("request", request.id())
                    .setCause(e)
                    .log("the answer could not be finished");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /// The sender's own id, if it is one; everything that one request causes can then be found by
    /// it.
    private static String requestId(ServerRequest request) {
        return request.headers()
                .first(HeaderNames.create(ID))
                .filter(said -> REQUEST_ID.matcher(said).matches())
                .orElseGet(() -> UUID.randomUUID().toString());
    }

    private Answer answered(Incoming request) {
        try {
            return dispatched(request);
        } catch (Problem problem) {
            return told(problem, request);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return told(
                    Problem.of(
                            503, "stopping", "The service is stopping.", "Try again in a moment."),
                    request);
        } catch (Exception e) {
            var known = faults.apply(e);
            if (known.isEmpty()) {
                LOG.atError()
                        .addKeyValue("request", request.id())
                        .addKeyValue("path", request.path())
                        .setCause(e)
                        .log("a request failed");
            }
            return told(
                    known.orElseGet(() ->
                            Problem.of(
                                    500,
                                    "internal-error",
                                    "Something went wrong here.",
                                    "Try again. If it stays so, tell your administrator the request id.")),
                    request);
        }
    }

    private Answer dispatched(Incoming request) throws Exception {
        var method = request.method().equals("HEAD") ? "GET" : request.method();
        var others = new TreeSet<String>();
        for (var route : routes) {
            var match = route.pattern().matcher(request.path());
            if (!match.matches()) {
                continue;
            }
            if (!route.endpoint().method().equals(method)) {
                others.add(route.endpoint().method());
                continue;
            }
            var path = new LinkedHashMap<String, String>();
            route.names().forEach(name -> path.put(name, match.group(name)));
            return called(route, request, path);
        }
        if (!others.isEmpty()) {
            throw Problem.of(
                            405,
                            "method-not-allowed",
                            "%s is not possible here.".formatted(request.method()),
                            "Use " + String.join(" or ", others) + ".")
                    .with("Allow", String.join(", ", others));
        }
        return fallback.answer(request)
                .orElseThrow(() ->
                        Problem.of(
                                404,
                                "no-such-path",
                                "There is nothing at %s.".formatted(request.path()),
                                ""));
    }

    private Answer called(Route<C> route, Incoming request, Map<String, String> path)
            throws Exception {
        var endpoint = route.endpoint();
        var caller = gate.admit(endpoint, request);
        for (var name : request.queryNames()) {
            if (endpoint.query().stream().noneMatch(known -> known.name().equals(name))) {
                throw Problem.field(name, "is not a parameter of this request");
            }
        }
        Object body = null;
        if (route.body() != null) {
            requireJson(request);
            body = Json.read(request.body(largestBody), route.body());
        }
        return endpoint.handler().handle(new Call<>(request, caller, path, body));
    }

    private static void requireJson(Incoming request) {
        var type = request.header("Content-Type").orElse("");
        if (!type.split(";", -1)[0].strip().equalsIgnoreCase("application/json")) {
            throw Problem.of(
                    415,
                    "not-json",
                    "The request does not say that it carries JSON.",
                    "Send the header Content-Type: application/json.");
        }
    }

    private Answer told(Problem problem, Incoming request) {
        var answer =
                new Answer(
                        problem.status(),
                        Map.of(),
                        new Answer.Bytes(
                                "application/problem+json",
                                Json.bytes(problem.document(request.id()))));
        for (var header : problem.headers().entrySet()) {
            answer = answer.with(header.getKey(), header.getValue());
        }
        return answer;
    }

    private static void write(Incoming request, Answer answer, ServerResponse response)
            throws IOException, InterruptedException {
        response.status(Status.create(answer.status()));
        switch (answer.body()) {
            case null -> response.send();
            case Answer.Value(var value) ->
                    send(request, answer, "application/json", Json.bytes(value), response);
            case Answer.Bytes(var type, var bytes) -> send(request, answer, type, bytes, response);
            case Answer.Streamed(var type, var writer) -> {
                response.header("Content-Type", type);
                var out = response.outputStream();
                writer.write(out);
                out.close(); // only if all was written: it says that this was the end
            }
        }
    }

    /// What has not changed since the reader had it is not sent again.
    private static void send(
            Incoming request, Answer answer, String type, byte[] bytes, ServerResponse response) {
        response.header("Content-Type", type);
        var isRead = request.method().equals("GET") || request.method().equals("HEAD");
        if (isRead && answer.status() == 200) {
            var own = answer.headers().get("ETag");
            var tag = own == null ? tag(bytes) : own.getFirst();
            response.header("ETag", tag);
            if (request.header("If-None-Match").filter(tag::equals).isPresent()) {
                response.status(Status.NOT_MODIFIED_304);
                response.send();
                return;
            }
        }
        response.send(bytes);
    }

    private static String tag(byte[] bytes) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return '"' + HexFormat.of().formatHex(hash, 0, 12) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /// An event of `text/event-stream`.
    public static byte[] event(String name, Object value) {
        return "event: %s\ndata: %s\n\n"
                .formatted(name, new String(Json.bytes(value), StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.UTF_8);
    }
}
