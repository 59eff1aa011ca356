package dev.spur.rest;

import dev.spur.api.client.ControllerException;
import dev.spur.api.view.IndentedText;
import dev.spur.rest.caller.Budgets;
import dev.spur.rest.caller.Caller;
import dev.spur.rest.caller.Callers;
import dev.spur.rest.http.Api;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.http.Request;
import dev.spur.rest.http.Router;
import io.helidon.common.socket.SocketOptions;
import io.helidon.common.tls.Tls;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The HTTP server: finds out who asks, keeps everybody within bounds, hands the request to its
/// route and what came of it to the network.
final class RestServer implements AutoCloseable {
    private static final String YAML = "application/yaml";

    private static final Logger LOG = LoggerFactory.getLogger(RestServer.class);

    /// A script is at most 4 MiB, and JSON makes more of it.
    private static final int LARGEST_BODY = 8 << 20;

    private static final Duration SILENT = Duration.ofSeconds(60);
    private static final int MOST_CONNECTIONS = 4096;

    private final List<Api<Caller>> apis;
    private final Router<Caller> router;
    private final Callers callers;
    private final Budgets budgets;
    private final Function<ControllerException, Refusal> told;
    private final WebServer server;

    private RestServer(
            List<Api<Caller>> apis,
            Callers callers,
            Budgets budgets,
            Function<ControllerException, Refusal> told,
            InetSocketAddress address,
            @Nullable SSLContext tls) {
        this.apis = List.copyOf(apis);
        this.router = new Router<>(apis.stream().flatMap(api -> api.routes().stream()).toList());
        this.callers = callers;
        this.budgets = budgets;
        this.told = told;
        var builder =
                WebServer.builder()
                        .address(address.getAddress())
                        .port(address.getPort())
                        .shutdownHook(false)
                        .maxTcpConnections(MOST_CONNECTIONS)
                        .idleConnectionTimeout(SILENT)
                        .shutdownGracePeriod(Duration.ofMillis(500))
                        .connectionOptions(
                                SocketOptions.builder()
                                        .readTimeout(SILENT)
                                        .tcpNoDelay(true)
                                        .build())
                        .routing(HttpRouting.builder().any(this::handle));
        if (tls != null) {
            builder.tls(Tls.builder().sslContext(tls).build());
        }
        this.server = builder.build().start();
    }

    /// @param told what a refusal of the controller is over HTTP
    /// @param tls missing: everything can be read on the way
    public static RestServer open(
            List<Api<Caller>> apis,
            Callers callers,
            Budgets budgets,
            Function<ControllerException, Refusal> told,
            InetSocketAddress address,
            @Nullable SSLContext tls)
            throws IOException {
        try {
            return new RestServer(apis, callers, budgets, told, address, tls);
        } catch (UncheckedIOException | IllegalStateException e) {
            var why = e.getCause() == null ? e : e.getCause();
            throw new IOException(
                    "cannot listen on %s port %d: %s. Is another spurrestd running? Choose another with --listen"
                            .formatted(
                                    address.getHostString(), address.getPort(), why.getMessage()),
                    e);
        }
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(server.prototype().address(), server.port());
    }

    private void handle(ServerRequest in, ServerResponse out) {
        var path = in.path().absolute().path();
        var headers = headers(in);
        var request =
                new Request(
                        in.prologue().method().text(),
                        path,
                        Map.of(),
                        query(in),
                        headers,
                        new byte[0]);
        Budgets.@Nullable Place place = null;
        var body = new LazyBody(out, wantsYaml(headers));
        try {
            var caller = callers.of(headers, connection(in));
            place = budgets.enter(caller);
            var reply = answer(request, caller, in, place);
            if (reply.stream() == null) {
                body.send(reply);
            } else {
                if (reply.type().equals("text/event-stream")) {
                    place.becomeStream();
                }
                body.stream(reply);
            }
        } catch (Refusal e) {
            refuse(request, e, body);
        } catch (ControllerException e) {
            refuse(request, told.apply(e), body);
        } catch (IOException | UncheckedIOException e) {
            LOG.atDebug().setCause(e).log("the reader has gone");
            body.abort();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            body.abort();
        } catch (RuntimeException e) {
            LOG.atError()
                    .setCause(e)
                    .addKeyValue("method", request.method())
                    .addKeyValue("path", path)
                    .log("a request failed");
            refuse(request, unexpected(), body);
        } finally {
            if (place != null) {
                place.close();
            }
        }
    }

    private static Refusal unexpected() {
        return new Refusal(
                500,
                2090,
                "INTERNAL",
                "Unexpected internal error",
                "something went wrong that should not have",
                "See the log of spurrestd",
                0);
    }

    private Reply answer(Request request, Caller caller, ServerRequest in, Budgets.Place place) {
        return switch (router.find(request.method(), request.path())) {
            case Router.NoSuchPath<Caller> _ ->
                    throw new Refusal(
                            404,
                            9003,
                            "NO_SUCH_PATH",
                            "Nothing found with query",
                            "there is nothing at " + request.path(),
                            "See /openapi.json for what there is",
                            0);
            case Router.NoSuchMethod<Caller>(var allowed) ->
                    throw new Refusal(
                            405,
                            9000,
                            "NO_SUCH_METHOD",
                            "Query empty or not RFC7320 compliant",
                            "%s knows %s only".formatted(request.path(), allowed),
                            "Use " + allowed,
                            0);
            case Router.Found<Caller>(var route, var values) -> {
                if (route.needsCaller() && caller instanceof Caller.Stranger(var because)) {
                    throw Refusal.stranger(
                            because,
                            "Send X-SLURM-USER-TOKEN or Authorization: Bearer with a token of: scontrol token");
                }
                yield route.handler().answer(withBody(request, in, place).at(values), caller);
            }
        };
    }

    private static Request withBody(Request request, ServerRequest in, Budgets.Place place) {
        if (!in.content().hasEntity()) {
            return request;
        }
        var announced = in.headers().contentLength().orElse(-1);
        if (announced > LARGEST_BODY) {
            throw tooLarge();
        }
        place.hold(announced >= 0 ? announced : LARGEST_BODY);
        try {
            var body = in.content().inputStream().readNBytes(LARGEST_BODY + 1);
            if (body.length > LARGEST_BODY) {
                throw tooLarge();
            }
            return new Request(
                    request.method(),
                    request.path(),
                    request.pathValues(),
                    request.query(),
                    request.headers(),
                    body);
        } catch (IOException e) {
            throw Refusal.unreadable("the body did not arrive");
        }
    }

    private static Refusal tooLarge() {
        return new Refusal(
                413,
                9001,
                "TOO_LARGE",
                "Failure during parsing",
                "the body is larger than %d MiB".formatted(LARGEST_BODY >> 20),
                "Send less at a time",
                0);
    }

    private void refuse(Request request, Refusal refusal, LazyBody body) {
        var reply =
                apis.stream()
                        .filter(api -> api.owns(request.path()))
                        .findFirst()
                        .orElse(apis.getLast())
                        .refused(request, refusal);
        if (refusal.retryAfterSeconds() > 0) {
            reply = reply.with("Retry-After", Integer.toString(refusal.retryAfterSeconds()));
        }
        if (refusal.status() == 401) {
            reply = reply.with("WWW-Authenticate", "Bearer");
        }
        try {
            body.send(reply);
        } catch (IOException | RuntimeException e) {
            body.abort();
        }
    }

    private static Callers.Connection connection(ServerRequest in) {
        return new Callers.Connection(
                (InetSocketAddress) in.remotePeer().address(),
                (InetSocketAddress) in.localPeer().address());
    }

    private static Map<String, String> headers(ServerRequest in) {
        var headers = new HashMap<String, String>();
        in.headers()
                .forEach(header ->
                        headers.merge(
                                header.name().toLowerCase(Locale.ROOT),
                                header.values(),
                                (one, other) -> one + "," + other));
        return headers;
    }

    private static Map<String, List<String>> query(ServerRequest in) {
        var query = new HashMap<String, List<String>>();
        try {
            for (var name : in.query().names()) {
                query.put(name, in.query().all(name, List::of));
            }
        } catch (RuntimeException e) {
            throw Refusal.badQuery("the query cannot be read");
        }
        return query;
    }

    /// Passes on in YAML what is written to it in JSON.
    private static final class Retelling extends OutputStream {
        private final IndentedText told;
        private final OutputStream out;

        Retelling(IndentedText told, OutputStream out) {
            this.told = told;
            this.out = out;
        }

        @Override
        public void write(int one) throws IOException {
            out.write(told.retell(new byte[] {(byte) one}));
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(told.retell(Arrays.copyOfRange(bytes, offset, offset + length)));
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }
    }

    private static byte[] yaml(byte[] json) {
        var told = new IndentedText(IndentedText.Form.YAML);
        var out = new java.io.ByteArrayOutputStream();
        out.writeBytes(told.retell(json));
        out.writeBytes(told.end());
        return out.toByteArray();
    }

    private static boolean wantsYaml(Map<String, String> headers) {
        var accepted = headers.getOrDefault("accept", "");
        return accepted.contains("yaml") && !accepted.contains("json");
    }

    /// The answer on its way: its status is open until the first byte of it.
    private static final class LazyBody extends OutputStream {
        private final ServerResponse out;
        private final boolean asYaml;
        private @Nullable OutputStream open;
        private @Nullable Reply reply;

        LazyBody(ServerResponse out, boolean asYaml) {
            this.out = out;
            this.asYaml = asYaml;
        }

        void send(Reply whole) throws IOException {
            if (open != null || out.isSent()) {
                throw new IOException("the answer has begun already");
            }
            var isTranslated = asYaml && whole.type().equals(Reply.JSON);
            begin(whole, isTranslated ? YAML : whole.type());
            out.send(isTranslated ? yaml(whole.body()) : whole.body());
        }

        void stream(Reply endless) throws IOException, InterruptedException {
            reply = endless;
            var stream = endless.stream();
            if (stream == null) {
                return;
            }
            if (asYaml && endless.type().equals(Reply.JSON)) {
                reply = Reply.of(endless.status(), YAML, new byte[0]);
                var told = new IndentedText(IndentedText.Form.YAML);
                stream.writeTo(new Retelling(told, this));
                write(told.end());
                opened().close();
                return;
            }
            stream.writeTo(this);
            opened().close();
        }

        private void begin(Reply started, String type) {
            out.status(Status.create(started.status()));
            if (!type.isEmpty()) {
                out.header(HeaderNames.CONTENT_TYPE, type);
            }
            out.header(HeaderNames.CACHE_CONTROL, "no-store");
            out.header("X-Content-Type-Options", "nosniff");
            started.headers().forEach(out::header);
        }

        private OutputStream opened() {
            var known = open;
            if (known == null) {
                var started = java.util.Objects.requireNonNull(reply);
                begin(started, started.type());
                known = out.outputStream();
                open = known;
            }
            return known;
        }

        @Override
        public void write(int one) throws IOException {
            opened().write(one);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            opened().write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            opened().flush();
        }

        /// The reader must not take a part for the whole: the connection breaks.
        void abort() {
            if (open != null) {
                throw new CloseConnectionException("the answer could not be finished");
            }
        }
    }

    @Override
    public void close() {
        server.stop();
    }
}
