package dev.spur.cloud;

import dev.spur.cloud.config.CloudConfig;
import dev.spur.cloud.sessions.Backend;
import dev.spur.cloud.sessions.Sessions;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.TomlFile;
import dev.spur.runtime.http.Json;
import dev.spur.runtime.postgres.Database;
import dev.spur.runtime.postgres.DatabaseAddress;
import dev.spur.runtime.postgres.EmbeddedPostgres;
import dev.spur.runtime.postgres.TestPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;
import tools.jackson.databind.JsonNode;

/// The whole daemon on a database of its own, spoken to by HTTP, with a clock that the test moves.
public final class TestCloud implements AutoCloseable {
    private static final List<String> NAMES =
            IntStream.range(0, 20).mapToObj("cloud_test_%d"::formatted).toList();

    /// Whoever has done with one leaves it empty.
    private static final Queue<String> FREE = new ConcurrentLinkedQueue<>(NAMES);

    public static final String PASSWORD = "correct horse battery";

    private static final class Server {
        static final EmbeddedPostgres RUNNING = EmbeddedPostgres.open(TestPostgres.home(), NAMES);
    }

    private final HttpClient http = HttpClient.newHttpClient();
    private final String name = FREE.remove();
    private final DatabaseAddress address = Server.RUNNING.database(name);
    private final Path state;
    private final String toml;
    private volatile Instant now = Instant.now().truncatedTo(java.time.temporal.ChronoUnit.SECONDS);
    private Cloud cloud;

    private final @org.jspecify.annotations.Nullable Backend backend;
    private @org.jspecify.annotations.Nullable Database beside;

    private TestCloud(String toml, @org.jspecify.annotations.Nullable Backend backend) {
        this.toml = toml;
        this.backend = backend;
        try {
            this.state = Files.createTempDirectory("spur-cloud-test-");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        this.cloud = open();
    }

    /// Quick hashes, unless the configuration says otherwise.
    public static TestCloud start(String... lines) {
        return new TestCloud(String.join("\n", lines), null);
    }

    /// With a cluster below it; what it says is taken in by {@link Sessions} when the test says so.
    public static TestCloud on(Backend backend, String... lines) {
        return new TestCloud(String.join("\n", lines), backend);
    }

    public Sessions sessions() {
        return cloud.sessions();
    }

    private Cloud open() {
        var config =
                TomlFile.parse(
                                toml.contains("[auth.local]")
                                        ? toml
                                        : toml
                                                + "\n[auth.local]\nmemory_kib = 8192\niterations = 1\n",
                                "spur-cloud.toml",
                                CloudConfig.class,
                                CloudConfig.DEFAULTS,
                                "SPUR_CLOUD",
                                Map.of())
                        .config();
        InstantSource clock = () -> now;
        return Cloud.start(
                null,
                address,
                new CloudOptions(
                        config,
                        Console.load(config.server().consoleDir()),
                        HostAndPort.parse("127.0.0.1:0", 0),
                        List.of(),
                        null,
                        state,
                        clock),
                backend);
    }

    public void restart() {
        cloud.close();
        cloud = open();
    }

    public void advance(Duration time) {
        now = now.plus(time);
    }

    public Instant now() {
        return now;
    }

    public Path state() {
        return state;
    }

    /// The daemon's database, beside the daemon.
    public synchronized Jdbi db() {
        var opened = beside;
        if (opened == null) {
            opened = Database.open(address, CloudDatabase.USE);
            beside = opened;
        }
        return CloudDatabase.prepared(opened.jdbi());
    }

    public String url() {
        return "http://127.0.0.1:" + cloud.port();
    }

    /// An answer.
    public record Reply(int status, JsonNode json, HttpResponse<String> whole) {
        public String text(String field) {
            return json.path(field).asString("");
        }

        public Optional<String> cookie(String name) {
            return whole.headers().allValues("Set-Cookie").stream()
                    .filter(line -> line.startsWith(name + "="))
                    .map(line -> line.substring(name.length() + 1, line.indexOf(';')))
                    .findFirst();
        }
    }

    public Reply get(String path, String... headers) {
        return send("GET", path, null, headers);
    }

    public Reply post(String path, Object body, String... headers) {
        return send("POST", path, body, headers);
    }

    public Reply send(
            String method,
            String path,
            @org.jspecify.annotations.Nullable Object body,
            String... headers) {
        try {
            var request =
                    HttpRequest.newBuilder(URI.create(url() + path))
                            .method(
                                    method,
                                    body == null
                                            ? HttpRequest.BodyPublishers.noBody()
                                            : HttpRequest.BodyPublishers.ofByteArray(
                                                    Json.bytes(body)));
            if (body != null) {
                request.header("Content-Type", "application/json");
            }
            for (var i = 0; i < headers.length; i += 2) {
                request.header(headers[i], headers[i + 1]);
            }
            var reply = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            var isJson =
                    reply.headers().firstValue("Content-Type").orElse("").contains("json")
                            && !reply.body().isEmpty();
            return new Reply(
                    reply.statusCode(),
                    isJson
                            ? Json.MAPPER.readTree(reply.body())
                            : Json.MAPPER.createObjectNode().put("text", reply.body()),
                    reply);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The first administrator, by the link; the token.
    public String administrator() {
        try {
            var link = Files.readString(state.resolve("admin-link")).strip();
            var reply =
                    post(
                            "/api/auth/setup",
                            Map.of(
                                    "code",
                                    link.substring(link.indexOf("code=") + 5),
                                    "email",
                                    "root@example.com",
                                    "username",
                                    "root",
                                    "password",
                                    PASSWORD));
            if (reply.status() != 200) {
                throw new IllegalStateException(reply.whole().body());
            }
            return reply.text("token");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /// Somebody who was invited; the token.
    public String user(String name, String administrator) {
        var link =
                post("/api/admin/invitations", Map.of(), "Authorization", "Bearer " + administrator)
                        .text("url");
        var reply =
                post(
                        "/api/auth/register",
                        Map.of(
                                "email",
                                name + "@example.com",
                                "username",
                                name,
                                "password",
                                PASSWORD,
                                "invitation",
                                link.substring(link.indexOf("invitation=") + 11)));
        if (reply.status() != 200) {
            throw new IllegalStateException(reply.whole().body());
        }
        return reply.text("token");
    }

    public static String[] by(String token) {
        return new String[] {"Authorization", "Bearer " + token};
    }

    @Override
    public void close() {
        cloud.close();
        if (beside != null) {
            beside.close();
        }
        try (var emptied = Database.open(address, CloudDatabase.USE)) {
            emptied.jdbi()
                    .useHandle(handle -> {
                        handle.execute("drop schema public cascade");
                        handle.execute("create schema public");
                    });
        }
        FREE.add(name);
    }
}
