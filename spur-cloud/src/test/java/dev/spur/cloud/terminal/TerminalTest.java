package dev.spur.cloud.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.cloud.TestCloud;
import dev.spur.cloud.access.Revocations;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.auth.Authentication;
import dev.spur.cloud.config.CloudConfig;
import dev.spur.cloud.reach.LocalShells;
import dev.spur.cloud.reach.ProgramEnd;
import dev.spur.cloud.reach.SessionDoor;
import dev.spur.cloud.users.People;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.http.HttpPort;
import dev.spur.runtime.http.Json;
import dev.spur.runtime.http.Router;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

/// The WebSocket as a browser sees it, with shells that the test plays.
@Timeout(60)
class TerminalTest {
    private static TestCloud cloud;
    private static String admin;
    @TempDir private static Path state;

    private final HttpClient http = HttpClient.newHttpClient();
    private final UUID session = UUID.randomUUID();
    private LocalShells shells;
    private SessionDoor.Entry behind;
    private Revocations revocations;
    private Terminals terminals;
    private HttpPort port;

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
    void open() {
        shells = new LocalShells();
        behind =
                new SessionDoor.Open(
                        session,
                        "train",
                        "12 1",
                        _ -> {
                            throw new UnsupportedOperationException();
                        },
                        shells);
        serve();
    }

    private void serve() {
        var db = cloud.db();
        var people = new People(db);
        var authentication =
                new Authentication(
                        CloudConfig.DEFAULTS,
                        db,
                        people,
                        new AuditLog(db, cloud::now),
                        state,
                        cloud::now);
        revocations = new Revocations(db, cloud::now).start();
        terminals =
                new Terminals(
                        db,
                        (_, id) -> id.equals(session) ? behind : new SessionDoor.Absent(),
                        _ -> () -> {},
                        authentication.gate(),
                        authentication.codes(),
                        revocations,
                        "https://gpu.example.com",
                        cloud::now);
        var router =
                new Router<>(
                        terminals.endpoints(),
                        authentication.gate(),
                        _ -> Optional.empty(),
                        1 << 20,
                        _ -> Optional.empty());
        port = HttpPort.open(HostAndPort.parse("127.0.0.1:0", 0), router, terminals::serve);
    }

    @AfterEach
    void close() {
        terminals.close();
        revocations.close();
        port.close();
    }

    /// What a browser's page has of a WebSocket.
    private static final class Page implements WebSocket.Listener {
        private final LinkedBlockingQueue<byte[]> bytes = new LinkedBlockingQueue<>();
        private final LinkedBlockingQueue<String> texts = new LinkedBlockingQueue<>();
        private final CompletableFuture<String> closed = new CompletableFuture<>();
        private final StringBuilder text = new StringBuilder();
        private final ByteArrayOutputStream part = new ByteArrayOutputStream();
        private @Nullable WebSocket opened;

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                texts.add(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onBinary(
                WebSocket from, ByteBuffer data, boolean last) {
            while (data.hasRemaining()) {
                part.write(data.get());
            }
            if (last) {
                bytes.add(part.toByteArray());
                part.reset();
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            closed.complete(code + " " + reason);
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            closed.complete("broken: " + error);
        }

        WebSocket socket() {
            return java.util.Objects.requireNonNull(opened);
        }

        String shown(int length) throws InterruptedException {
            var all = new ByteArrayOutputStream();
            while (all.size() < length) {
                all.writeBytes(bytes.take());
            }
            return all.toString(StandardCharsets.UTF_8);
        }

        void type(String words) {
            socket().sendBinary(ByteBuffer.wrap(words.getBytes(StandardCharsets.UTF_8)), true)
                    .join();
        }

        void resize(int rows, int columns) {
            socket().sendText(
                            "{\"type\":\"resize\",\"rows\":%d,\"cols\":%d}"
                                    .formatted(rows, columns),
                            true)
                    .join();
        }

        String closed() throws Exception {
            return closed.get(10, TimeUnit.SECONDS);
        }
    }

    private Page page(String query, String... protocols) {
        var page = new Page();
        var builder = http.newWebSocketBuilder();
        if (protocols.length > 0) {
            builder.subprotocols(protocols[0]);
        }
        page.opened =
                builder.buildAsync(
                                URI.create(
                                        "ws://127.0.0.1:%d/api/sessions/%s/terminal?%s"
                                                .formatted(port.number(), session, query)),
                                page)
                        .join();
        return page;
    }

    /// As the console opens one.
    private Page terminal(String shell) throws Exception {
        return page("ticket=" + ticket(admin, shell), TerminalSocket.PROTOCOL);
    }

    private String ticket(String token, String shell) throws IOException, InterruptedException {
        var reply = post(token, shell);
        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
        return Json.MAPPER.readTree(reply.body()).get("ticket").asString();
    }

    private HttpResponse<String> post(String token, String shell)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://127.0.0.1:%d/api/sessions/%s/terminal/ticket"
                                                .formatted(port.number(), session)))
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", "application/json")
                        .POST(
                                HttpRequest.BodyPublishers.ofByteArray(
                                        Json.bytes(Map.of("shell", shell))))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void whatTheShellPrintsAndWhatIsTypedGoBothWaysAsBytes() throws Exception {
        var page = terminal("main");
        assertThat(page.texts.take()).isEqualTo("{\"type\":\"opened\",\"shell\":\"main\"}");

        shells.only().print("$ ");
        page.type("echo ü\n");

        assertThat(page.shown(2)).isEqualTo("$ ");
        assertThat(shells.only().typed()).isEqualTo("echo ü\n");
        assertThat(page.socket().getSubprotocol()).isEqualTo("spur.terminal.v1");
    }

    @Test
    void whoComesBackFindsTheSameShellWithWhatItShowed() throws Exception {
        var first = terminal("main");
        first.texts.take();
        shells.only().print("remember me");
        first.shown(11);
        first.socket().sendClose(1000, "gone").join();

        assertThat(terminal("main").shown(11)).isEqualTo("remember me");
        assertThat(shells.count()).isOne();
    }

    @Test
    void theShellSurvivesARestartOfTheService() throws Exception {
        var first = terminal("main");
        first.texts.take();
        shells.only().print("before");
        first.shown(6);
        terminals.close();
        assertThat(first.closed()).startsWith("1001 ");
        revocations.close();
        port.close();

        serve();

        assertThat(terminal("main").shown(6)).isEqualTo("before");
        assertThat(shells.count()).isOne();
    }

    @Test
    void eachTabHasAShellOfItsOwn() throws Exception {
        terminal("main").texts.take();
        terminal("second").texts.take();

        assertThat(shells.count()).isEqualTo(2);
    }

    @Test
    void severalLookAtOneShellAndItHasTheSizeOfWhoTypedLast() throws Exception {
        var ann = terminal("main");
        var bob = terminal("main");
        ann.texts.take();
        bob.texts.take();
        var shell = shells.only();
        assertThat(shell.size()).isEqualTo("24x80");
        ann.resize(50, 100);
        assertThat(shell.size()).isEqualTo("50x100");
        ann.type("a");
        assertThat(shell.size()).isEqualTo("50x100");
        bob.resize(20, 60); // waits until bob types
        bob.type("b");

        assertThat(shell.size()).isEqualTo("20x60");
        shell.print("both");
        assertThat(ann.shown(4)).isEqualTo("both");
        assertThat(bob.shown(4)).isEqualTo("both");
    }

    @Test
    void theEndOfTheShellIsToldWithItsStatusAndTheNextIsANewOne() throws Exception {
        var page = terminal("main");
        page.texts.take();

        shells.only().end(new ProgramEnd.Exited(3));

        assertThat(page.texts.take()).isEqualTo("{\"type\":\"exit\",\"code\":3}");
        assertThat(page.closed()).isEqualTo("1000 exited with 3");
        terminal("main").texts.take();
        assertThat(shells.count()).isEqualTo(2);
    }

    @Test
    void aTicketIsGoodOnceAndForThisSession() throws Exception {
        var ticket = ticket(admin, "main");
        page("ticket=" + ticket, TerminalSocket.PROTOCOL).texts.take();

        assertThat(page("ticket=" + ticket).closed()).startsWith("4001 ");
        assertThat(page("ticket=nonsense").closed()).startsWith("4001 ");
        assertThat(page("").closed()).startsWith("4001 ");
    }

    @Test
    void theTokenOfTheSeedWorksTooAndTextIsInputThen() throws Exception {
        var page = page("token=" + admin);
        page.socket().sendText("", true).join(); // how the seed's pages keep the connection
        page.socket().sendText("ls\n", true).join();
        while (shells.count() == 0) {
            Thread.onSpinWait();
        }

        assertThat(shells.only().typed()).isEqualTo("ls\n");
        var euro = "€".getBytes(StandardCharsets.UTF_8);
        shells.only().print(new byte[] {euro[0], euro[1]});
        shells.only().print(new byte[] {euro[2], '!'});
        var shown = new StringBuilder();
        while (shown.length() < 2) {
            shown.append(page.texts.take());
        }
        assertThat(shown).hasToString("€!");
    }

    @Test
    void aPageOfSomebodyElseIsRefused() {
        var foreign =
                http.newWebSocketBuilder()
                        .header("Origin", "https://evil.example")
                        .buildAsync(
                                URI.create(
                                        "ws://127.0.0.1:%d/api/sessions/%s/terminal?token=%s"
                                                .formatted(port.number(), session, admin)),
                                new Page());

        assertThatThrownBy(foreign::join)
                .hasRootCauseMessage("Unexpected HTTP response status code 403");
    }

    @Test
    void sessionsThatCannotBeEnteredSayWhy() throws Exception {
        behind = new SessionDoor.Closed("the session train has ended", true);
        assertThat(page("token=" + admin).closed()).isEqualTo("4010 the session train has ended");
        behind = new SessionDoor.Closed("the session train has not started yet", false);
        assertThat(page("token=" + admin).closed()).startsWith("1013 ");
        assertThat(post(admin, "main").statusCode()).isEqualTo(409);
        behind = new SessionDoor.Absent();
        assertThat(page("token=" + admin).closed()).startsWith("4004 ");
        assertThat(post(admin, "main").statusCode()).isEqualTo(404);
    }

    @Test
    void aNodeThatDoesNotAnswerIsToldInWords() throws Exception {
        shells.refuse("node n1 does not answer");

        assertThat(terminal("main").closed()).isEqualTo("1013 node n1 does not answer");
    }

    @Test
    void anEndedLoginClosesTheTerminalWithinSeconds() throws Exception {
        var user = cloud.user("leaver", admin);
        var page = page("token=" + user, TerminalSocket.PROTOCOL);
        page.texts.take();
        var began = System.nanoTime();

        cloud.post("/api/auth/logout", Map.of(), TestCloud.by(user));

        assertThat(page.closed()).isEqualTo("4001 your login has ended");
        assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(5));
        while (shells.only().viewers() > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void theEndOfTheSessionClosesItsTerminals() throws Exception {
        var page = terminal("main");
        page.texts.take();

        behind = new SessionDoor.Closed("the session train was stopped", true);

        assertThat(page.closed()).isEqualTo("4010 the session train was stopped");
    }

    @Test
    void aViewerWhoReadsNothingHoldsUpNobodyElse() throws Exception {
        var stopped = new Page();
        http.newWebSocketBuilder()
                .subprotocols(TerminalSocket.PROTOCOL)
                .buildAsync(
                        URI.create(
                                "ws://127.0.0.1:%d/api/sessions/%s/terminal?token=%s"
                                        .formatted(port.number(), session, admin)),
                        new WebSocket.Listener() {
                            @Override
                            public void onOpen(WebSocket socket) {} // asks for nothing, ever
                        })
                .join();
        var page = terminal("main");
        page.texts.take();
        while (shells.only().viewers() < 2) {
            Thread.onSpinWait();
        }
        for (var i = 0; i < 300; i++) {
            shells.only().print(new byte[64 << 10]);
        }

        assertThat(page.shown(300 * (64 << 10))).hasSize(300 * (64 << 10));
        assertThat(stopped.bytes).isEmpty();
    }
}
