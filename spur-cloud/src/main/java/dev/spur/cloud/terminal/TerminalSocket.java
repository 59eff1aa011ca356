package dev.spur.cloud.terminal;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Grant;
import dev.spur.cloud.access.Revocations;
import dev.spur.cloud.reach.NotReachedException;
import dev.spur.cloud.reach.ProgramEnd;
import dev.spur.cloud.reach.SessionDoor;
import dev.spur.cloud.reach.Shells;
import io.helidon.common.buffers.BufferData;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.http.RequestException;
import io.helidon.http.WritableHeaders;
import io.helidon.websocket.WsListener;
import io.helidon.websocket.WsSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One viewer of one shell.
///
/// With the subprotocol `spur.terminal.v1` binary frames are bytes both ways, and text frames are
/// JSON: `{"type":"resize","rows":…,"cols":…}` to us; `opened`, `missed` and `exit` from us.
/// Without it text is input, and output is text.
///
/// A viewer who does not read holds up nobody: what it is too slow for it misses, and is told so.
final class TerminalSocket implements WsListener {
    private static final Logger LOG = LoggerFactory.getLogger(TerminalSocket.class);
    static final String PROTOCOL = "spur.terminal.v1";
    private static final int ROWS = 24;
    private static final int COLUMNS = 80;

    private final Terminals terminals;
    private String path = "";
    private Optional<String> ticket = Optional.empty();
    private Optional<String> token = Optional.empty();
    private String shellName = Terminals.USUAL_SHELL;
    private boolean speaksFrames;
    private @Nullable TerminalWire wire;
    private Tabs.@Nullable Tab tab;
    private Revocations.@Nullable Watch watch;
    private @Nullable AutoCloseable presence;
    private volatile Shells.@Nullable View view;
    private volatile Control.@Nullable Size size;
    private boolean over;

    TerminalSocket(Terminals terminals) {
        this.terminals = terminals;
    }

    @Override
    public Optional<Headers> onHttpUpgrade(HttpPrologue prologue, Headers headers) {
        var origin = headers.first(HeaderNames.ORIGIN);
        var host = headers.first(HeaderNames.HOST).orElse("");
        if (origin.isPresent() && !terminals.isOwnPage(origin.get(), host)) {
            throw RequestException.builder()
                    .type(DirectHandler.EventType.FORBIDDEN)
                    .message("Terminals are opened by pages of this service only.")
                    .build();
        }
        path = prologue.uriPath().path();
        var query = prologue.query();
        ticket = query.first("ticket").asOptional();
        shellName = query.first("shell").orElse(Terminals.USUAL_SHELL);
        token =
                query.first("token")
                        .asOptional()
                        .or(() ->
                                headers.first(HeaderNames.AUTHORIZATION)
                                        .filter(said ->
                                                said.regionMatches(true, 0, "Bearer ", 0, 7))
                                        .map(said -> said.substring(7).strip()));
        var protocols = HeaderNames.create("Sec-WebSocket-Protocol");
        speaksFrames =
                headers.first(protocols).stream()
                        .flatMap(said -> Arrays.stream(said.split(",", -1)))
                        .anyMatch(said -> said.strip().equals(PROTOCOL));
        if (!speaksFrames) {
            return Optional.empty();
        }
        var answer = WritableHeaders.create();
        answer.set(protocols, PROTOCOL);
        return Optional.of(answer);
    }

    @Override
    public void onOpen(WsSession session) {
        wire = new TerminalWire(session, speaksFrames).start(this::leave);
        terminals.entered(this);
        var id = Terminals.session(path);
        var visitor = id.flatMap(known -> terminals.visitor(known, ticket, token));
        if (visitor.isEmpty()) {
            close(
                    CloseCode.NOT_SIGNED_IN,
                    "a ticket works once and for 30 seconds; a token must be yours and not over");
            return;
        }
        var known = visitor.get();
        if (!known.caller().scopes().contains("sessions")) {
            close(CloseCode.MAY_NOT, "this API token lacks the scope sessions");
            return;
        }
        enter(id.get(), known.caller(), known.shell().orElse(shellName));
    }

    private void enter(UUID session, Caller.Person caller, String name) {
        if (!Terminals.isName(name)) {
            close(CloseCode.POLICY, "the name of a shell has 1 to 64 letters, digits, - or _");
            return;
        }
        switch (terminals.door().open(caller.id(), session)) {
            case SessionDoor.Absent() -> close(CloseCode.NO_SESSION, "you have no such session");
            case SessionDoor.Closed(var why, var forGood) ->
                    close(forGood ? CloseCode.SESSION_OVER : CloseCode.TRY_LATER, why);
            case SessionDoor.Open open -> {
                var place = new Tabs.Tab(session, name);
                if (!terminals.tabs().enter(place, this)) {
                    close(CloseCode.POLICY, "so many look at this shell that nobody else can");
                    return;
                }
                synchronized (this) {
                    tab = place;
                    presence = terminals.presence().apply(session);
                    watch =
                            terminals
                                    .revocations()
                                    .watch(
                                            Grant.of(caller),
                                            session,
                                            () -> terminals.whyNot(caller.id(), session),
                                            this::revoked);
                }
                Thread.ofVirtual().name("terminal-start").start(() -> look(open, name));
            }
        }
    }

    private void look(SessionDoor.Open open, String name) {
        try {
            var found = terminals.shell(open, name, rows(), columns(), new Output());
            synchronized (this) {
                if (over) {
                    found.view().close();
                    return;
                }
                view = found.view();
                notifyAll();
            }
            applySize();
        } catch (NotReachedException e) {
            close(CloseCode.TRY_LATER, String.valueOf(e.getMessage()));
        } catch (Terminals.TooManyException e) {
            close(CloseCode.POLICY, String.valueOf(e.getMessage()));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("a terminal could not be opened");
            close(CloseCode.FAULT, "something went wrong here");
        }
    }

    /// What the shell prints, on its way to the viewer.
    private final class Output implements Terminals.Viewer {
        @Override
        public void opened(String shell) throws IOException {
            wire().control(Control.opened(shell));
        }

        @Override
        public void data(byte[] bytes) throws IOException {
            wire().bytes(bytes);
        }

        @Override
        public void missed(long bytes) {
            try {
                wire().control(Control.missed(bytes));
            } catch (IOException _) {
                // the viewer has gone
            }
        }

        @Override
        public void ended(ProgramEnd end) {
            try {
                wire().control(Control.ended(end));
            } catch (IOException _) {
                // the viewer has gone
            }
            switch (end) {
                case ProgramEnd.Exited(var code) -> close(CloseCode.ENDED, "exited with " + code);
                case ProgramEnd.Signalled(var number) ->
                        close(CloseCode.ENDED, "ended by signal " + number);
                case ProgramEnd.Lost(var why) -> close(CloseCode.TRY_LATER, why);
            }
        }
    }

    private TerminalWire wire() {
        return java.util.Objects.requireNonNull(wire);
    }

    private int rows() {
        var known = size;
        return known == null ? ROWS : known.rows();
    }

    private int columns() {
        var known = size;
        return known == null ? COLUMNS : known.columns();
    }

    @Override
    public void onMessage(WsSession session, String text, boolean last) {
        wire().heard();
        if (!speaksFrames) {
            type(text.getBytes(StandardCharsets.UTF_8));
            return;
        }
        Control.size(text)
                .ifPresent(said -> {
                    size = said;
                    applySize();
                });
    }

    @Override
    public void onMessage(WsSession session, BufferData buffer, boolean last) {
        wire().heard();
        type(buffer.readBytes());
    }

    @Override
    public void onPing(WsSession session, BufferData buffer) {
        wire().heard();
        wire().pong(buffer.readBytes());
    }

    @Override
    public void onPong(WsSession session, BufferData buffer) {
        wire().heard();
    }

    private void type(byte[] bytes) {
        var place = tab;
        if (place == null || bytes.length == 0) {
            return;
        }
        try {
            var shell = awaitShell();
            if (shell != null) {
                type(place, shell, bytes);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// What is typed while the shell starts is for it, too.
    private synchronized Shells.@Nullable View awaitShell() throws InterruptedException {
        while (view == null && !over) {
            wait();
        }
        return view;
    }

    private void type(Tabs.Tab place, Shells.View shell, byte[] bytes) throws InterruptedException {
        if (terminals.tabs().leads(place, this)) {
            applySize();
        }
        shell.type(bytes);
    }

    private void applySize() {
        var shell = view;
        var known = size;
        var place = tab;
        if (shell != null
                && known != null
                && place != null
                && terminals.tabs().counts(place, this)) {
            shell.resize(known.rows(), known.columns());
        }
    }

    private void revoked(String why) {
        close(
                why.startsWith("your") || why.startsWith("you ")
                        ? CloseCode.NOT_SIGNED_IN
                        : CloseCode.SESSION_OVER,
                why);
    }

    /// This daemon stops.
    void goAway() {
        close(CloseCode.GOING_AWAY, "the service restarts; your shell goes on");
    }

    private void close(CloseCode code, String why) {
        wire().close(code, why);
        leave();
    }

    @Override
    public void onClose(WsSession session, int status, String reason) {
        wire().closed();
        leave();
    }

    @Override
    public void onError(WsSession session, Throwable why) {
        LOG.atDebug().addKeyValue("cause", why.toString()).log("a terminal's connection broke");
        wire().closed();
        leave();
    }

    /// The shell goes on without this viewer.
    private void leave() {
        Shells.View shell;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            notifyAll();
            shell = view;
            if (watch != null) {
                watch.close();
            }
            if (tab != null) {
                terminals.tabs().leave(tab, this);
            }
            if (presence != null) {
                Terminals.closeQuietly(presence);
            }
        }
        terminals.left(this);
        if (shell != null) {
            shell.close();
        }
    }
}
