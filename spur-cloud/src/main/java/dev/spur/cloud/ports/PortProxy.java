package dev.spur.cloud.ports;

import dev.spur.cloud.access.Grant;
import dev.spur.cloud.access.Revocations;
import dev.spur.cloud.auth.CloudGate;
import dev.spur.cloud.auth.OneTimeCodes;
import dev.spur.cloud.reach.NotReachedException;
import dev.spur.cloud.reach.Relay;
import dev.spur.cloud.reach.RelayConnection;
import dev.spur.cloud.reach.Relays;
import dev.spur.cloud.reach.SessionDoor;
import dev.spur.model.notation.HostAndPort;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The web servers that people run in their sessions, before their browsers.
///
/// ```
///  browser ──▶ whose cookie is it? ──▶ may he enter the session? ──▶ whose port is it?
///     │            no: by the platform, with a link that works once          │
///     └──────────────── request, answer, or both ways after an upgrade ◀─────┘
/// ```
///
/// One request for each connection: each is asked for anew. What goes on for long ends when the
/// right to it ends.
public final class PortProxy implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PortProxy.class);
    private static final String COOKIE = "spur_port";
    private static final Set<String> OURS =
            Set.of(COOKIE, "spur_access", "spur_refresh", "spur_csrf", "spur_oauth");
    private static final Set<String> BETWEEN_TWO =
            Set.of(
                    "connection",
                    "keep-alive",
                    "proxy-connection",
                    "proxy-authorization",
                    "te",
                    "trailer",
                    "x-forwarded-for",
                    "x-forwarded-host",
                    "x-forwarded-proto",
                    "forwarded");
    private static final int MOST_CONNECTIONS = 1024;
    private static final Duration HEAD_WITHIN = Duration.ofSeconds(20);
    private static final int IDLE_MILLIS = 30 * 60_000;
    private static final int MOST_INTERIM = 20;

    private final ServerSocket server;
    private final PortSite site;
    private final String publicUrl;
    private final SessionDoor door;
    private final CloudGate gate;
    private final OneTimeCodes codes;
    private final Revocations revocations;
    private final PortVisits visits;
    private final Relays relays = new Relays();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Semaphore room = new Semaphore(MOST_CONNECTIONS);

    private PortProxy(
            ServerSocket server,
            PortSite site,
            String publicUrl,
            Jdbi db,
            Rights rights,
            InstantSource clock) {
        this.server = server;
        this.site = site;
        this.publicUrl = publicUrl;
        this.door = rights.door();
        this.gate = rights.gate();
        this.codes = rights.codes();
        this.revocations = rights.revocations();
        this.visits = new PortVisits(db, clock);
    }

    /// Who decides.
    public record Rights(
            SessionDoor door, CloudGate gate, OneTimeCodes codes, Revocations revocations) {}

    public static PortProxy open(
            HostAndPort listen,
            PortSite site,
            String publicUrl,
            Jdbi db,
            Rights rights,
            InstantSource clock) {
        try {
            var server = new ServerSocket(listen.port(), 256, InetAddress.getByName(listen.host()));
            var proxy = new PortProxy(server, site, publicUrl, db, rights, clock);
            Thread.ofVirtual().name("ports-accept").start(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the ports of sessions cannot be served at %s: %s"
                            .formatted(listen, e.getMessage()),
                    e);
        }
    }

    public int port() {
        return server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var socket = server.accept();
                if (!room.tryAcquire()) {
                    socket.close();
                    continue;
                }
                open.add(socket);
                Thread.ofVirtual().name("ports").start(() -> serve(socket));
            } catch (IOException e) {
                if (!server.isClosed()) {
                    LOG.atWarn().setCause(e).log("a browser could not be answered");
                }
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            serveOne(socket);
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("cause", e.toString()).log("a browser has gone");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(socket);
            room.release();
        }
    }

    private void serveOne(Socket socket) throws IOException, InterruptedException {
        try {
            socket.setTcpNoDelay(true);
            var arriving = new HeadInput(socket, HEAD_WITHIN);
            var in = new BufferedInputStream(arriving);
            var head = HttpHead.read(in);
            arriving.headHasCome();
            if (head.isPresent()) {
                answer(new Browser(socket, in, head.get()));
            }
        } catch (HttpHead.MalformedException e) {
            say(socket, "400 Bad Request", String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("a request for a port of a session failed");
            say(socket, "500 Internal Server Error", "Something went wrong here.");
        }
    }

    /// A request on its connection.
    private record Browser(Socket socket, InputStream in, HttpHead head) {
        String[] words() {
            return head.line().split(" ", -1);
        }

        String method() {
            return words()[0];
        }

        String target() {
            return words()[1];
        }

        boolean isRequest() {
            var words = words();
            return words.length == 3
                    && words[0].matches("[A-Z]{1,20}")
                    && words[1].startsWith("/")
                    && words[2].equals("HTTP/1.1");
        }

        boolean upgrades() {
            return head.has("Connection", "upgrade") && head.value("Upgrade").isPresent();
        }

        Optional<String> cookie() {
            return head.fields().stream()
                    .filter(field -> field.is("Cookie"))
                    .flatMap(field -> Arrays.stream(field.value().split(";", -1)))
                    .map(String::strip)
                    .filter(pair -> pair.startsWith(COOKIE + "="))
                    .map(pair -> pair.substring(COOKIE.length() + 1))
                    .findFirst();
        }
    }

    private void answer(Browser browser) throws IOException, InterruptedException {
        var socket = browser.socket();
        if (!browser.isRequest()) {
            say(socket, "400 Bad Request", "Only requests of HTTP/1.1 are understood here.");
            return;
        }
        var place = site.place(browser.head().value("Host").orElse(""));
        if (place.isEmpty()) {
            say(
                    socket,
                    "404 Not Found",
                    "This is where the ports of sessions are. Open one from its session's page.");
            return;
        }
        if (browser.target().startsWith(PortRoutes.ENTRANCE + "?")) {
            enter(browser, place.get());
            return;
        }
        var grant = browser.cookie().flatMap(value -> visits.find(value, place.get().session()));
        if (grant.isEmpty() || !stands(grant.get())) {
            sendToPlatform(browser, place.get());
            return;
        }
        if (!isOwnPage(browser, place.get())) {
            say(socket, "403 Forbidden", "Another site asked for this.");
            return;
        }
        switch (door.open(grant.get().person(), place.get().session())) {
            case SessionDoor.Absent() -> say(socket, "404 Not Found", "You have no such session.");
            case SessionDoor.Closed(var why, _) ->
                    say(socket, "502 Bad Gateway", "It cannot be reached: %s.".formatted(why));
            case SessionDoor.Open entry -> lead(browser, place.get(), grant.get(), entry);
        }
    }

    private boolean stands(Grant grant) {
        return (grant.login() == null
                        ? gate.again("token", java.util.Objects.requireNonNull(grant.token()))
                        : gate.again("login", grant.login()))
                .isPresent();
    }

    /// Other sites may link here, but neither post forms nor open sockets with the cookie. The
    /// sites of other sessions count as the same site for browsers.
    private boolean isOwnPage(Browser browser, PortSite.Place place) {
        var origin = browser.head().value("Origin");
        var onlyLooks = Set.of("GET", "HEAD").contains(browser.method()) && !browser.upgrades();
        return onlyLooks
                || origin.isEmpty()
                || origin.get()
                        .replaceFirst("^https?://", "")
                        .equalsIgnoreCase(browser.head().value("Host").orElse(""))
                || origin.get().equals(site.url(place));
    }

    /// By the link, once: the browser gets its cookie.
    private void enter(Browser browser, PortSite.Place place) throws IOException {
        var query = browser.target().substring(PortRoutes.ENTRANCE.length() + 1);
        var words =
                codes.use(OneTimeCodes.Kind.PORT, parameter(query, "code"))
                        .map(OneTimeCodes.Meant::subject)
                        .map(subject -> subject.split(" ", -1));
        var caller =
                words.filter(said -> said.length == 3 && said[0].equals(place.session().toString()))
                        .flatMap(said -> gate.again(said[1], UUID.fromString(said[2])));
        if (caller.isEmpty()) {
            say(
                    browser.socket(),
                    "403 Forbidden",
                    "This link was used, or is over. Open the port again from its session's page.");
            return;
        }
        var to = parameter(query, "to");
        redirect(
                browser.socket(),
                PortRoutes.isPath(to) ? to : "/",
                "Set-Cookie: %s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s\r\n"
                        .formatted(
                                COOKIE,
                                visits.begin(caller.get(), place.session()),
                                PortVisits.LIFE.toSeconds(),
                                site.isSecure() ? "; Secure" : ""));
    }

    private static String parameter(String query, String name) {
        return Arrays.stream(query.split("&", -1))
                .filter(pair -> pair.startsWith(name + "="))
                .map(pair -> decoded(pair.substring(name.length() + 1)))
                .findFirst()
                .orElse("");
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return "";
        }
    }

    private void sendToPlatform(Browser browser, PortSite.Place place) throws IOException {
        if (!browser.method().equals("GET") || browser.upgrades()) {
            say(
                    browser.socket(),
                    "401 Unauthorized",
                    "Open the port from its session's page first.");
            return;
        }
        var to = PortRoutes.isPath(browser.target()) ? browser.target() : "/";
        redirect(
                browser.socket(),
                "%s/api/sessions/%s/ports/%d?to=%s"
                        .formatted(
                                publicUrl,
                                place.session(),
                                place.port(),
                                URLEncoder.encode(to, StandardCharsets.UTF_8)),
                "");
    }

    private void lead(Browser browser, PortSite.Place place, Grant grant, SessionDoor.Open entry)
            throws IOException, InterruptedException {
        try (var lease = relays.take(entry);
                var connection = connect(lease.relay(), place.port());
                var _ =
                        revocations.watch(
                                grant,
                                entry.session(),
                                () -> whyNot(grant.person(), entry.session()),
                                _ -> hangUp(browser.socket(), connection))) {
            converse(browser, place, connection);
        } catch (NotReachedException e) {
            say(
                    browser.socket(),
                    "502 Bad Gateway",
                    "It cannot be reached: %s.".formatted(e.getMessage()));
        }
    }

    /// To what the session's user listens at, and nobody else's.
    private static RelayConnection connect(Relay relay, int port) throws InterruptedException {
        if (!relay.listens(port)) {
            throw new NotReachedException(
                    "nothing of this session listens at port %d".formatted(port));
        }
        try {
            return relay.openTcp("127.0.0.1", port);
        } catch (NotReachedException _) {
            return relay.openTcp("::1", port);
        }
    }

    private Optional<String> whyNot(UUID person, UUID session) {
        return door.open(person, session) instanceof SessionDoor.Open
                ? Optional.empty()
                : Optional.of("the session is over");
    }

    private static void hangUp(Socket socket, RelayConnection connection) {
        connection.close();
        try {
            socket.close();
        } catch (IOException _) {
            // closed
        }
    }

    private void converse(Browser browser, PortSite.Place place, RelayConnection connection)
            throws IOException {
        browser.socket().setSoTimeout(IDLE_MILLIS);
        var to = connection.output();
        var body = HttpBody.of(browser.head(), new HttpBody.None());
        to.write(forwarded(browser).bytes());
        var sending =
                Thread.ofVirtual().name("ports-body").start(() -> send(browser, body, connection));
        var from = new BufferedInputStream(connection.input());
        var answer = interim(from, browser.socket().getOutputStream());
        if (answer.isEmpty()) {
            say(
                    browser.socket(),
                    "502 Bad Gateway",
                    "What listens at port %d answered nothing.".formatted(place.port()));
            return;
        }
        pass(browser, answer.get(), from);
        sending.interrupt();
    }

    private static void send(Browser browser, HttpBody body, RelayConnection connection) {
        try {
            if (browser.upgrades()) {
                HttpBody.splice(browser.in(), connection.output());
                connection.output().close();
            } else {
                body.copy(browser.in(), connection.output());
            }
        } catch (IOException _) {
            connection.close(); // half a request is none
        }
    }

    private HttpHead forwarded(Browser browser) {
        var head =
                browser.head()
                        .without(field ->
                                BETWEEN_TWO.contains(
                                                field.name().toLowerCase(java.util.Locale.ROOT))
                                        || field.is("Cookie")
                                        || field.is("Upgrade"));
        var cookies = foreignCookies(browser.head());
        if (!cookies.isEmpty()) {
            head = head.with("Cookie", cookies);
        }
        head =
                head.with("X-Forwarded-Proto", site.scheme())
                        .with("X-Forwarded-Host", browser.head().value("Host").orElse(""))
                        .with(
                                "X-Forwarded-For",
                                browser.socket().getInetAddress().getHostAddress());
        return browser.upgrades()
                ? head.with("Connection", "Upgrade")
                        .with("Upgrade", browser.head().value("Upgrade").orElse(""))
                : head.with("Connection", "close");
    }

    private static String foreignCookies(HttpHead head) {
        return head.fields().stream()
                .filter(field -> field.is("Cookie"))
                .flatMap(field -> Arrays.stream(field.value().split(";", -1)))
                .map(String::strip)
                .filter(pair -> !OURS.contains(pair.split("=", 2)[0].strip()))
                .collect(Collectors.joining("; "));
    }

    /// Passes on what comes before the answer itself.
    private static Optional<HttpHead> interim(InputStream from, OutputStream to)
            throws IOException {
        for (var count = 0; count < MOST_INTERIM; count++) {
            var head = HttpHead.read(from);
            if (head.isEmpty() || !head.get().line().matches("HTTP/1\\.[01] 1(?!01)[0-9]{2}.*")) {
                return head;
            }
            to.write(head.get().bytes());
            to.flush();
        }
        throw new HttpHead.MalformedException("too many answers before the answer");
    }

    private void pass(Browser browser, HttpHead answer, InputStream from) throws IOException {
        var to = browser.socket().getOutputStream();
        if (!answer.line().matches("HTTP/1\\.[01] [1-5][0-9]{2}( .*)?")) {
            say(browser.socket(), "502 Bad Gateway", "What listens there does not speak HTTP.");
            return;
        }
        var status = answer.line().substring(9, 12);
        if (status.equals("101") && browser.upgrades()) {
            to.write(answer.bytes());
            to.flush();
            HttpBody.splice(from, to);
            return;
        }
        var hasNoBody =
                browser.method().equals("HEAD") || status.equals("204") || status.equals("304");
        var body = hasNoBody ? new HttpBody.None() : HttpBody.of(answer, new HttpBody.ToTheEnd());
        to.write(backwards(answer).bytes());
        to.flush();
        body.copy(from, to);
    }

    /// A session sets cookies for its own site and no other.
    private static HttpHead backwards(HttpHead answer) {
        var fields =
                answer.fields().stream()
                        .filter(field -> !field.is("Connection") && !field.is("Keep-Alive"))
                        .map(field ->
                                field.is("Set-Cookie")
                                        ? new HttpHead.Field(
                                                field.name(),
                                                field.value()
                                                        .replaceAll("(?i);\\s*domain=[^;]*", ""))
                                        : field)
                        .filter(field ->
                                !field.is("Set-Cookie")
                                        || !OURS.contains(field.value().split("=", 2)[0].strip()))
                        .toList();
        return new HttpHead(answer.line(), fields).with("Connection", "close");
    }

    private static void redirect(Socket socket, String to, String more) throws IOException {
        write(
                socket,
                "HTTP/1.1 303 See Other\r\nLocation: %s\r\n%sContent-Length: 0\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
                        .formatted(to, more));
    }

    private static void say(Socket socket, String status, String words) {
        var text = words + "\n";
        try {
            write(
                    socket,
                    "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n%s"
                            .formatted(status, text.getBytes(StandardCharsets.UTF_8).length, text));
        } catch (IOException _) {
            // nobody listens any more
        }
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("closed");
        }
        open.forEach(socket -> {
            try {
                socket.close();
            } catch (IOException _) {
                // closed
            }
        });
        relays.close();
    }
}
