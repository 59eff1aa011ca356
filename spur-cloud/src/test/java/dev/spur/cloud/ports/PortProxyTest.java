package dev.spur.cloud.ports;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.spur.cloud.TestCloud;
import dev.spur.cloud.access.Revocations;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.auth.Authentication;
import dev.spur.cloud.config.CloudConfig;
import dev.spur.cloud.reach.LocalPrograms;
import dev.spur.cloud.reach.LocalShells;
import dev.spur.cloud.reach.SessionDoor;
import dev.spur.cloud.users.People;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.http.HttpPort;
import dev.spur.runtime.http.Json;
import dev.spur.runtime.http.Router;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The proxy as a browser sees it, with programs of this machine behind it.
@Timeout(60)
class PortProxyTest {
    private static TestCloud cloud;
    private static String admin;
    @TempDir private static Path state;

    private final HttpClient http = HttpClient.newHttpClient();
    private final UUID session = UUID.randomUUID();
    private final LinkedBlockingQueue<Map<String, List<String>>> asked =
            new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> bodies = new LinkedBlockingQueue<>();
    private LocalPrograms programs;
    private SessionDoor.Entry behind;
    private Revocations revocations;
    private PortProxy proxy;
    private HttpPort api;
    private HttpServer inside;

    @BeforeAll
    static void begin() {
        cloud = TestCloud.start();
        admin = cloud.administrator();
    }

    @AfterAll
    static void end() {
        cloud.close();
    }

    @BeforeEach
    void open() throws IOException {
        programs = new LocalPrograms(state);
        behind = new SessionDoor.Open(session, "notebook", "12 1", programs, new LocalShells());
        inside = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        inside.createContext(
                "/",
                exchange -> {
                    asked.add(Map.copyOf(exchange.getRequestHeaders()));
                    bodies.add(
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.UTF_8));
                    exchange.getResponseHeaders()
                            .add("Set-Cookie", "mine=1; Domain=apps.localhost; Path=/");
                    exchange.getResponseHeaders().add("Set-Cookie", "spur_port=stolen");
                    var answer =
                            ("you asked for " + exchange.getRequestURI())
                                    .getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                });
        inside.start();
        var db = cloud.db();
        var authentication =
                new Authentication(
                        CloudConfig.DEFAULTS,
                        db,
                        new People(db),
                        new AuditLog(db, cloud::now),
                        state,
                        cloud::now);
        revocations = new Revocations(db, cloud::now).start();
        SessionDoor door = (_, id) -> id.equals(session) ? behind : new SessionDoor.Absent();
        var site = PortSite.of("http://apps.localhost:8081");
        proxy =
                PortProxy.open(
                        HostAndPort.parse("127.0.0.1:0", 0),
                        site,
                        "https://gpu.example.com",
                        db,
                        new PortProxy.Rights(
                                door, authentication.gate(), authentication.codes(), revocations),
                        cloud::now);
        api =
                HttpPort.open(
                        HostAndPort.parse("127.0.0.1:0", 0),
                        new Router<>(
                                new PortRoutes(door, authentication.codes(), site).endpoints(),
                                authentication.gate(),
                                _ -> Optional.empty(),
                                1 << 20,
                                _ -> Optional.empty()));
    }

    @AfterEach
    void close() {
        proxy.close();
        api.close();
        revocations.close();
        inside.stop(0);
        programs.close();
    }

    private record Reply(String head, String body) {
        String status() {
            return head.substring(9, 12);
        }

        String header(String name) {
            return head.lines()
                    .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .reduce((a, b) -> a + "|" + b)
                    .orElse("");
        }
    }

    private String host(int port) {
        return "%s--%d.apps.localhost:8081".formatted(session, port);
    }

    private int port() {
        return inside.getAddress().getPort();
    }

    /// As a browser sends it: names below localhost are this machine.
    private Reply get(String path, int port, String... headers) throws IOException {
        return send(
                "GET "
                        + path
                        + " HTTP/1.1\r\nHost: "
                        + host(port)
                        + "\r\n"
                        + lines(headers)
                        + "\r\n");
    }

    private static String lines(String... headers) {
        var text = new StringBuilder();
        for (var header : headers) {
            text.append(header).append("\r\n");
        }
        return text.toString();
    }

    private Reply send(String text) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            var all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var split = all.indexOf("\r\n\r\n");
            return new Reply(all.substring(0, split), all.substring(split + 4));
        }
    }

    private String link(String token, int port) throws Exception {
        var reply =
                http.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                "http://127.0.0.1:%d/api/sessions/%s/ports/%d?to=/lab"
                                                        .formatted(api.number(), session, port)))
                                .header("Authorization", "Bearer " + token)
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
        return Json.MAPPER.readTree(reply.body()).get("url").asString();
    }

    private String cookie(String token) throws Exception {
        var link = URI.create(link(token, port()));
        var reply = get(link.getRawPath() + "?" + link.getRawQuery(), port());
        assertThat(reply.status()).isEqualTo("303");
        assertThat(reply.header("Location")).isEqualTo("/lab");
        assertThat(reply.header("Set-Cookie"))
                .contains("HttpOnly")
                .contains("SameSite=Lax")
                .doesNotContain("Domain");
        return "Cookie: " + reply.header("Set-Cookie").split(";")[0];
    }

    @Test
    void whatListensInTheSessionIsInTheBrowser() throws Exception {
        var reply = get("/lab?x=1", port(), cookie(admin));

        assertThat(reply.status()).isEqualTo("200");
        assertThat(reply.body()).isEqualTo("you asked for /lab?x=1");
    }

    @Test
    void theCookiesOfThePlatformNeverReachTheSessionAndItSetsNoneOfOurs() throws Exception {
        var reply =
                get(
                        "/",
                        port(),
                        cookie(admin) + "; spur_access=secret; theirs=2; spur_refresh=secret");

        assertThat(asked.take().get("Cookie")).containsExactly("theirs=2");
        assertThat(reply.header("Set-Cookie")).isEqualTo("mine=1; Path=/");
    }

    @Test
    void whoHasNoCookieIsSentToThePlatformAndComesBackByALinkThatWorksOnce() throws Exception {
        assertThat(get("/lab", port()).header("Location"))
                .isEqualTo(
                        "https://gpu.example.com/api/sessions/%s/ports/%d?to=%%2Flab"
                                .formatted(session, port()));
        var link = URI.create(link(admin, port()));
        var enter = link.getRawPath() + "?" + link.getRawQuery();
        get(enter, port());

        assertThat(get(enter, port()).status()).isEqualTo("403");
        assertThat(asked).isEmpty();
    }

    @Test
    void aCookieOfOneSessionOpensNoOther() throws Exception {
        var cookie = cookie(admin);

        var reply =
                send(
                        "GET / HTTP/1.1\r\nHost: %s--80.apps.localhost\r\n%s\r\n\r\n"
                                .formatted(UUID.randomUUID(), cookie));

        assertThat(reply.status()).isEqualTo("303");
    }

    @Test
    void bodiesArePassedOnByTheirLength() throws Exception {
        var cookie = cookie(admin);

        send(
                "POST / HTTP/1.1\r\nHost: %s\r\n%s\r\nContent-Length: 5\r\n\r\nhelloGET /smuggled HTTP/1.1\r\n\r\n"
                        .formatted(host(port()), cookie));
        send(
                "POST / HTTP/1.1\r\nHost: %s\r\n%s\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
                        .formatted(host(port()), cookie));

        assertThat(bodies.take()).isEqualTo("hello");
        assertThat(bodies.take()).isEqualTo("abcde");
        assertThat(
                        send("POST / HTTP/1.1\r\nHost: %s\r\n%s\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
                                        .formatted(host(port()), cookie))
                                .status())
                .isEqualTo("400");
    }

    @Test
    void anotherSiteCannotPostWithTheCookie() throws Exception {
        assertThat(
                        send("POST / HTTP/1.1\r\nHost: %s\r\n%s\r\nOrigin: http://evil.apps.localhost:8081\r\nContent-Length: 0\r\n\r\n"
                                        .formatted(host(port()), cookie(admin)))
                                .status())
                .isEqualTo("403");
    }

    @Test
    void aPortAtWhichNothingListensIsToldAsSuch() throws Exception {
        var reply = get("/", 9, cookie(admin));

        assertThat(reply.status()).isEqualTo("502");
        assertThat(reply.body()).contains("nothing of this session listens at port 9");
    }

    @Test
    void anUpgradeGoesBothWaysUntilTheLoginEnds() throws Exception {
        var user = cloud.user("surfer", admin);
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var browser = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            Thread.ofVirtual().start(() -> echoAfterUpgrade(server));
            browser.getOutputStream()
                    .write(
                            "GET /ws HTTP/1.1\r\nHost: %s\r\n%s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhey\n"
                                    .formatted(host(server.getLocalPort()), cookie(user))
                                    .getBytes(StandardCharsets.UTF_8));
            var in =
                    new BufferedReader(
                            new InputStreamReader(
                                    browser.getInputStream(), StandardCharsets.UTF_8));
            assertThat(in.readLine()).contains(" 101 ");
            while (!in.readLine().isEmpty()) {}
            assertThat(in.readLine()).isEqualTo("hey");
            var began = System.nanoTime();

            cloud.post("/api/auth/logout", Map.of(), TestCloud.by(user));

            assertThat(lastLine(in)).isNull();
            assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(5));
        }
        assertThat(get("/", port(), "Cookie: spur_port=nonsense").status()).isEqualTo("303");
    }

    private static @Nullable String lastLine(BufferedReader in) {
        try {
            return in.readLine();
        } catch (IOException _) {
            return null;
        }
    }

    private static void echoAfterUpgrade(ServerSocket server) {
        try (var socket = server.accept()) {
            var in =
                    new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            while (!in.readLine().isEmpty()) {}
            var out = socket.getOutputStream();
            out.write(
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
                            .getBytes(StandardCharsets.UTF_8));
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException _) {
            // the browser has gone
        }
    }

    @Test
    void aSessionThatIsOverSaysSo() throws Exception {
        var cookie = cookie(admin);
        behind = new SessionDoor.Closed("the session notebook has ended", true);

        assertThat(get("/", port(), cookie).body()).contains("the session notebook has ended");
    }
}
