package dev.spur.cloud.terminal;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Needs;
import dev.spur.cloud.access.Revocations;
import dev.spur.cloud.auth.CloudGate;
import dev.spur.cloud.auth.OneTimeCodes;
import dev.spur.cloud.reach.ProgramEnd;
import dev.spur.cloud.reach.SessionDoor;
import dev.spur.cloud.reach.Shells;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Lists;
import dev.spur.runtime.http.Problem;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.websocket.WsConfig;
import io.helidon.webserver.websocket.WsRouting;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everything about terminals: the tickets for them, the shells behind them, the connections.
public final class Terminals implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Terminals.class);
    static final String USUAL_SHELL = "main";
    private static final String PATH = "/api/sessions/{id}/terminal";
    private static final Pattern IN_PATH =
            Pattern.compile("/api/sessions/([0-9a-fA-F-]{36})/terminal");
    private static final Duration TICKET_LIFE = Duration.ofSeconds(30);
    private static final int LARGEST_FRAME = 1 << 20;
    private static final int TRIES = 3;

    private final SessionDoor door;
    private final Function<UUID, AutoCloseable> presence;
    private final CloudGate gate;
    private final OneTimeCodes codes;
    private final Revocations revocations;
    private final ShellTable shells;
    private final Tabs tabs = new Tabs();
    private final Set<TerminalSocket> open = ConcurrentHashMap.newKeySet();
    private final String publicUrl;
    private final InstantSource clock;

    /// @param presence told of a session that somebody is in, until what it returns is closed
    public Terminals(
            Jdbi db,
            SessionDoor door,
            Function<UUID, AutoCloseable> presence,
            CloudGate gate,
            OneTimeCodes codes,
            Revocations revocations,
            String publicUrl,
            InstantSource clock) {
        this.door = door;
        this.presence = presence;
        this.gate = gate;
        this.codes = codes;
        this.revocations = revocations;
        this.shells = new ShellTable(db);
        this.publicUrl = publicUrl;
        this.clock = clock;
    }

    /// @param shell which of the session's; missing: `main`
    public record TicketWish(@Nullable String shell) {}

    /// @param ticket good once
    public record Ticket(String ticket, Instant expiresAt) {}

    /// A shell that somebody can come back to.
    public record ShellInfo(String name, Instant startedAt) {}

    /// Somebody who was let in, and to which shell.
    ///
    /// @param shell empty: whichever the address says
    record Visitor(Caller.Person caller, Optional<String> shell) {}

    /// So many shells that there can be no other.
    static final class TooManyException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooManyException(String message) {
            super(message);
        }
    }

    /// A viewer that also hears when the shell is there.
    interface Viewer extends Shells.Viewer {
        void opened(String shell) throws IOException;
    }

    record Looking(Shells.View view) {}

    public List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>post(PATH + "/ticket", "createTerminalTicket")
                        .tag("sessions")
                        .says(
                                "A ticket for the WebSocket at /api/sessions/{id}/terminal?ticket=, for 30 seconds")
                        .needs(Needs.USER, Needs.SESSIONS)
                        .takes(TicketWish.class)
                        .answers(201, Ticket.class)
                        .refuses(409)
                        .by(this::ticket),
                Endpoint.<Caller>get("/api/sessions/{id}/terminals", "listTerminals")
                        .tag("sessions")
                        .says("The shells of a session that one can come back to")
                        .needs(Needs.USER, Needs.SESSIONS)
                        .answers(200, Lists.of(ShellInfo.class))
                        .by(this::list));
    }

    private Answer ticket(Call<Caller> call) {
        var caller = call.caller().person();
        var session = call.id("id", "session");
        entered(caller, session);
        var wish = call.body(TicketWish.class).shell();
        var shell = wish == null ? USUAL_SHELL : wish;
        if (!isName(shell)) {
            throw Problem.field("shell", "must be 1 to 64 letters, digits, - or _");
        }
        var holder = caller.login() == null ? "token " + caller.token() : "login " + caller.login();
        var code =
                codes.create(
                        OneTimeCodes.Kind.TERMINAL,
                        caller.id(),
                        "%s %s %s".formatted(session, holder, shell),
                        TICKET_LIFE);
        return new Answer(
                201,
                java.util.Map.of(),
                new Answer.Value(new Ticket(code, clock.instant().plus(TICKET_LIFE))));
    }

    private Answer list(Call<Caller> call) {
        var entry = entered(call.caller().person(), call.id("id", "session"));
        return Answer.ok(
                shells.of(entry.session(), entry.run()).stream()
                        .map(shell -> new ShellInfo(shell.name(), shell.startedAt()))
                        .toList());
    }

    private SessionDoor.Open entered(Caller.Person caller, UUID session) {
        return switch (door.open(caller.id(), session)) {
            case SessionDoor.Absent() -> throw Problem.notFound("session");
            case SessionDoor.Closed(var why, _) ->
                    throw Problem.of(
                            409,
                            "session-not-running",
                            capital(why) + ".",
                            "Terminals can be opened while a session runs.");
            case SessionDoor.Open entry -> entry;
        };
    }

    private static String capital(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    /// Adds the WebSocket to a port.
    public void serve(WebServerConfig.Builder port) {
        port.addProtocol(WsConfig.builder().maxFrameLength(LARGEST_FRAME).build())
                .addRouting(WsRouting.builder().endpoint(PATH, this::socket));
    }

    private TerminalSocket socket() {
        return new TerminalSocket(this);
    }

    void entered(TerminalSocket socket) {
        open.add(socket);
    }

    void left(TerminalSocket socket) {
        open.remove(socket);
    }

    static Optional<UUID> session(String path) {
        var match = IN_PATH.matcher(path);
        return match.matches() ? Optional.of(UUID.fromString(match.group(1))) : Optional.empty();
    }

    static boolean isName(String text) {
        return text.matches("[A-Za-z0-9_-]{1,64}");
    }

    /// Whether a page at this origin is the console's: as configured, or of the host that it asks.
    boolean isOwnPage(String origin, String host) {
        return origin.equalsIgnoreCase(publicUrl)
                || origin.equalsIgnoreCase("http://" + host)
                || origin.equalsIgnoreCase("https://" + host);
    }

    /// Whoever has this ticket for the session, or this token.
    Optional<Visitor> visitor(UUID session, Optional<String> ticket, Optional<String> token) {
        if (ticket.isPresent()) {
            return codes.use(OneTimeCodes.Kind.TERMINAL, ticket.get())
                    .map(OneTimeCodes.Meant::subject)
                    .map(subject -> subject.split(" ", -1))
                    .filter(words -> words.length == 4 && words[0].equals(session.toString()))
                    .flatMap(words ->
                            gate.again(words[1], UUID.fromString(words[2]))
                                    .map(caller -> new Visitor(caller, Optional.of(words[3]))));
        }
        return token.flatMap(gate::holder).map(caller -> new Visitor(caller, Optional.empty()));
    }

    /// The tab's shell, started if there is none.
    Looking shell(SessionDoor.Open entry, String name, int rows, int columns, Viewer viewer)
            throws InterruptedException {
        for (var attempt = 1; ; attempt++) {
            var row =
                    shells.claim(entry.session(), name, entry.run(), clock.instant())
                            .orElseThrow(() ->
                                    new TooManyException(
                                            "the session has %d shells, the most that one can have"
                                                    .formatted(ShellTable.MOST_OF_ONE_SESSION)));
            var step = row.step();
            try {
                if (step == null) {
                    step = entry.shells().start(row.requestId(), rows, columns);
                    shells.started(row, step);
                }
                viewer.opened(name);
                return new Looking(entry.shells().view(step, forgetting(row, viewer)));
            } catch (Shells.ShellGoneException e) {
                shells.forget(row);
                if (attempt == TRIES) {
                    throw e;
                }
            } catch (IOException e) {
                throw new dev.spur.cloud.reach.NotReachedException("the viewer has gone", e);
            }
        }
    }

    private Shells.Viewer forgetting(ShellTable.Shell row, Viewer viewer) {
        return new Shells.Viewer() {
            @Override
            public void data(byte[] bytes) throws IOException {
                viewer.data(bytes);
            }

            @Override
            public void missed(long bytes) {
                viewer.missed(bytes);
            }

            @Override
            public void ended(ProgramEnd end) {
                if (!(end instanceof ProgramEnd.Lost)) {
                    shells.forget(row);
                }
                viewer.ended(end);
            }
        };
    }

    /// Why somebody may not stay; empty: they may.
    Optional<String> whyNot(UUID person, UUID session) {
        return switch (door.open(person, session)) {
            case SessionDoor.Open _ -> Optional.empty();
            case SessionDoor.Absent() -> Optional.of("the session is not yours to enter any more");
            case SessionDoor.Closed(var why, var forGood) ->
                    forGood ? Optional.of(why) : Optional.empty();
        };
    }

    SessionDoor door() {
        return door;
    }

    Function<UUID, AutoCloseable> presence() {
        return presence;
    }

    Revocations revocations() {
        return revocations;
    }

    Tabs tabs() {
        return tabs;
    }

    static void closeQuietly(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            LOG.atWarn().setCause(e).log("somebody's leaving could not be noted");
        }
    }

    /// Before the port closes: viewers are told that their shells go on.
    @Override
    public void close() {
        open.forEach(TerminalSocket::goAway);
    }
}
