package dev.spur.agent.registration;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.AgentLinkGrpc;
import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.model.notation.HostAndPort;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the stream to the leading controller: tries one after the other, follows redirects, waits
/// longer and longer (with jitter, so that a thousand agents do not come at once) while none
/// answers.
public final class ControllerLink implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ControllerLink.class);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration WELCOME_WITHIN = Duration.ofSeconds(10);

    private final Channels channels;
    private final List<HostAndPort> controllers;
    private final AgentSession session;
    private final Thread connecting;
    private final Thread ticking;
    private final CountDownLatch registered = new CountDownLatch(1);
    private volatile boolean closed;
    private volatile @Nullable ClientCallStreamObserver<AgentMessage> current;
    private final LinkTrouble trouble = new LinkTrouble(Instant.now());

    private ControllerLink(Channels channels, List<HostAndPort> controllers, AgentSession session) {
        this.channels = channels;
        this.controllers = List.copyOf(controllers);
        this.session = session;
        this.connecting = Thread.ofVirtual().name("controller-link").unstarted(this::keepConnected);
        this.ticking = Thread.ofVirtual().name("agent-tick").unstarted(this::keepTicking);
    }

    public static ControllerLink start(
            Channels channels, List<HostAndPort> controllers, AgentSession session) {
        var link = new ControllerLink(channels, controllers, session);
        link.connecting.start();
        link.ticking.start();
        return link;
    }

    private void keepTicking() {
        try {
            while (!closed) {
                Thread.sleep(TICK);
                tick();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Whatever goes wrong once, the node must go on beating.
    private void tick() {
        try {
            session.tick();
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("the agent's clockwork failed; it goes on");
        }
    }

    private void keepConnected() {
        var next = 0;
        var wait = SHORTEST_WAIT;
        HostAndPort leader = null;
        try {
            while (!closed) {
                var address =
                        leader != null ? leader : controllers.get(next++ % controllers.size());
                var outcome = attempt(address);
                var redirected = leader != null;
                leader = outcome.leader();
                if (leader != null && !redirected) {
                    continue;
                }
                wait = outcome.wasWelcome() ? SHORTEST_WAIT : longer(wait);
                Thread.sleep(jitter(wait));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static Duration longer(Duration wait) {
        var twice = wait.multipliedBy(2);
        return twice.compareTo(LONGEST_WAIT) < 0 ? twice : LONGEST_WAIT;
    }

    private static Duration jitter(Duration wait) {
        var half = wait.toMillis() / 2;
        return Duration.ofMillis(half + ThreadLocalRandom.current().nextLong(half + 1));
    }

    /// How a connection ended.
    private record Outcome(boolean wasWelcome, @Nullable HostAndPort leader) {}

    /// Whatever goes wrong once, the next try is as good as the first.
    private Outcome attempt(HostAndPort address) throws InterruptedException {
        try {
            return connect(address);
        } catch (RuntimeException e) {
            noteFailure(address, e);
            return new Outcome(false, null);
        }
    }

    private Outcome connect(HostAndPort address) throws InterruptedException {
        var arrivals = new Arrivals();
        var stream = open(address, arrivals);
        current = stream;
        session.connected(message -> send(stream, message));
        var giveUp = watchForWelcome(stream);
        try {
            while (true) {
                switch (arrivals.take()) {
                    case Arrivals.Arrival.Message(var message) -> {
                        obey(message);
                        arrivals.next();
                        noteWelcome(address);
                    }
                    case Arrivals.Arrival.Ended(var because) -> {
                        var leader = leader(because);
                        if (leader == null) {
                            noteFailure(address, because);
                        }
                        return new Outcome(session.isWelcome(), leader);
                    }
                }
            }
        } finally {
            giveUp.interrupt();
            session.disconnected();
            current = null;
        }
    }

    private void obey(ControllerMessage message) {
        try {
            session.received(message);
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("order", message.getMessageCase())
                    .setCause(e)
                    .log("an order of the controller could not be carried out");
        }
    }

    private void noteWelcome(HostAndPort address) {
        if (!session.isWelcome()) {
            return;
        }
        registered.countDown();
        if (trouble.connected()) {
            log.atInfo().addKeyValue("controller", address).log("the controller answers");
        }
    }

    /// A controller that does not lead refuses, and names the one that does if it knows.
    private static @Nullable HostAndPort leader(@Nullable Throwable refusal) {
        var trailers = refusal == null ? null : Status.trailersFromThrowable(refusal);
        var named = trailers == null ? null : trailers.get(CallerHeaders.LEADER);
        return named == null ? null : redirect(named);
    }

    private static @Nullable HostAndPort redirect(String leader) {
        return leader.isEmpty() ? null : HostAndPort.parse(leader, HostAndPort.CONTROLLER_PORT);
    }

    /// A controller that accepts the connection but never takes us in is as good as none.
    private Thread watchForWelcome(ClientCallStreamObserver<AgentMessage> stream) {
        return Thread.ofVirtual()
                .name("await-welcome")
                .start(() -> {
                    try {
                        Thread.sleep(WELCOME_WITHIN);
                        if (!session.isWelcome()) {
                            stream.cancel("no welcome within " + WELCOME_WITHIN, null);
                        }
                    } catch (InterruptedException _) {
                        Thread.currentThread().interrupt();
                    }
                });
    }

    private void noteFailure(HostAndPort address, @Nullable Throwable because) {
        var text = because == null ? "it closed the connection" : words(because);
        if (closed) {
            return;
        }
        var line = isRefusal(because) ? trouble.refused(text) : trouble.failed(text, Instant.now());
        switch (line) {
            case NONE -> {}
            case WAITING ->
                    log.atInfo()
                            .addKeyValue("controller", address)
                            .log("the controller does not answer yet; trying again");
            case WARNING ->
                    log.atWarn()
                            .addKeyValue("controller", address)
                            .addKeyValue("cause", text)
                            .log("no connection to the controller; jobs go on, trying again");
        }
    }

    /// A controller that answers no is not one that does not answer yet.
    private static boolean isRefusal(@Nullable Throwable because) {
        return because != null
                && switch (Status.fromThrowable(because).getCode()) {
                    case INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION ->
                            true;
                    default -> false;
                };
    }

    private static String words(Throwable because) {
        var told =
                because instanceof StatusRuntimeException status
                        ? ControllerException.of(status)
                        : because;
        return String.valueOf(told.getMessage());
    }

    private static void send(ClientCallStreamObserver<AgentMessage> stream, AgentMessage message) {
        synchronized (stream) {
            try {
                stream.onNext(message);
            } catch (IllegalStateException e) {
                log.atDebug().addKeyValue("cause", e.toString()).log("the connection had ended");
            }
        }
    }

    private ClientCallStreamObserver<AgentMessage> open(HostAndPort address, Arrivals arrivals) {
        var channel = channels.controller(address);
        channel.resetConnectBackoff(); // how long to wait is decided here
        var stub = AgentLinkGrpc.newStub(channel);
        return (ClientCallStreamObserver<AgentMessage>) stub.connect(arrivals);
    }

    /// Waits until a controller has taken this node in. False if it took too long.
    public boolean awaitRegistration(Duration timeout) throws InterruptedException {
        return registered.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        closed = true;
        var stream = current;
        if (stream != null) {
            stream.cancel("spurd stops", null);
        }
        connecting.interrupt();
        ticking.interrupt();
    }
}
