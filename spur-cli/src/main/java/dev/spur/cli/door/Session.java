package dev.spur.cli.door;

import dev.spur.cli.Caller;
import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Command;
import dev.spur.cli.Tool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection, one command: admit, wait for the turn, read the greeting, run, answer. Runs on a
/// virtual thread; a second one receives what the stub sends meanwhile.
final class Session {
    private static final Logger log = LoggerFactory.getLogger(Session.class);

    /// How long it may keep one of the door's places.
    private static final Duration TURN = Duration.ofMillis(500);

    private final UnixSocket socket;
    private final DoorConfig config;
    private final FrameWriter writer;
    private volatile @Nullable Running running;
    private volatile Lines.@Nullable Turn turn;
    private volatile long begun;

    /// The command, once it runs.
    private record Running(
            Tool tool, DoorInvocation in, Stub stub, Thread thread, long sinceNanos) {}

    Session(UnixSocket socket, DoorConfig config) {
        this.socket = socket;
        this.config = config;
        this.writer = new FrameWriter(socket);
    }

    /// One that may wait for its turn, as the user whom the kernel names. The others are told why
    /// not: so little fits into every new connection, whether somebody reads it or not.
    Optional<Admitted> admit(CallerQuotas quotas) {
        try {
            var peer = socket.peer();
            if (!config.serves(peer.uid())) {
                refuse(
                        "spur: the local Spur service at %s is another user's."
                                .formatted(config.socket()));
            } else {
                var permit = quotas.enter(peer.uid());
                if (permit.isPresent()) {
                    return Optional.of(new Admitted(peer, permit.get()));
                }
                refuse(
                        "spur: too many commands run on this host at the same time (%d of one user may), or they need too much memory; try again later."
                                .formatted(config.limits().commandsPerUser()));
            }
        } catch (CallerGoneException e) {
            log.atDebug().log("a caller left before it was refused");
        } catch (IOException e) {
            log.atDebug().addKeyValue("why", e.getMessage()).log("a connection was given up");
        }
        hangUp();
        return Optional.empty();
    }

    record Admitted(UnixSocket.PeerProcess peer, CallerQuotas.Permit permit) {}

    void joins(Lines lines, Admitted admitted, Runnable atTheEnd) {
        turn =
                lines.join(
                        admitted.peer().uid(),
                        () -> {
                            try {
                                run(admitted);
                            } finally {
                                atTheEnd.run();
                            }
                        });
    }

    private void run(Admitted admitted) {
        begun = System.nanoTime();
        try (var held = admitted.permit()) {
            if (!socket.hasPeerGone()) {
                serve(admitted.peer(), held);
            }
        } catch (CallerGoneException e) {
            log.atDebug().log("a caller left before its command ran");
        } catch (IOException e) {
            log.atDebug().addKeyValue("why", e.getMessage()).log("a connection was given up");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            hangUp();
        }
    }

    private void hangUp() {
        socket.shutdown();
        socket.release();
    }

    private void serve(UnixSocket.PeerProcess peer, CallerQuotas.Permit permit)
            throws IOException, InterruptedException {
        var frames = new FrameReader(socket);
        var greeting = greeting(frames, permit);
        if (greeting == null) {
            return;
        }
        var call = config.tools().resolve(greeting.program(), greeting.args());
        var caller =
                new Caller(
                        peer.uid(),
                        peer.gid(),
                        socket.groups(),
                        config.users().userName(peer.uid()));
        var stub = new Stub(frames, writer, greeting.size());
        var in =
                new DoorInvocation(
                        config, call, greeting, caller, peer.pid(), stub, permit::claim, permit);
        var current = new Running(call.tool(), in, stub, Thread.currentThread(), System.nanoTime());
        running = current;
        socket.hold();
        Thread.ofVirtual().name("door-receive").start(() -> receive(current));

        int exitCode = Command.run(call.tool(), in);
        running = null;
        in.finish(exitCode);
        stub.signals().stop();
    }

    private @Nullable Greeting greeting(FrameReader frames, CallerQuotas.Permit permit)
            throws IOException, InterruptedException {
        try {
            return Greeting.read(frames, config.limits().greeting(), permit::claim);
        } catch (Greeting.OtherVersionException e) {
            refuse(
                    ("spur: this program speaks version %d of the door's protocol, the local Spur service version %d.\n"
                                    + "      They are of different releases: restart the service after an update.")
                            .formatted(e.version(), Frame.VERSION));
        } catch (Greeting.TooLargeException e) {
            refuse(
                    "spur: the arguments and environments of your running commands need too much memory (at most %d MiB); try again later."
                            .formatted(config.limits().bytesPerUser() >> 20));
        }
        return null;
    }

    private void receive(Running command) {
        try {
            command.stub().receive();
        } catch (IOException e) {
            log.atDebug().addKeyValue("why", e.getMessage()).log("a connection was given up");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            cancel(command);
            socket.shutdown();
            socket.release();
        }
    }

    /// The caller has gone, or must go: the command is told, unless it has ended or goes on alone.
    private void cancel(Running command) {
        command.stub().callerGone();
        if (running == command && !command.tool().goesOnWithoutCaller()) {
            command.thread().interrupt();
        }
    }

    /// Ends the session because the door closes.
    void close() {
        var command = running;
        if (command != null) {
            command.in().memory().suspend();
        }
        socket.shutdown(); // first: a cancelled command must not have a last word
        if (command != null) {
            cancel(command);
        }
    }

    /// Ends its turn when it takes long, and the command when it has used up its time.
    void checkTime() {
        var place = turn;
        if (place != null && begun != 0 && System.nanoTime() - begun > TURN.toNanos()) {
            place.end();
        }
        var command = running;
        if (command == null || command.in().isLong()) {
            return;
        }
        var used =
                Duration.ofNanos(
                        System.nanoTime()
                                - command.sinceNanos()
                                - command.stub().waitedForCaller());
        if (used.compareTo(config.limits().command()) > 0) {
            running = null;
            Thread.ofVirtual().start(() -> giveUp(command));
        }
    }

    private void giveUp(Running command) {
        try {
            refuse(
                    "%s: error: gave up after %d seconds: the command did not end in the time that the local Spur service allows."
                            .formatted(
                                    command.in().program(), config.limits().command().toSeconds()));
        } catch (CallerGoneException e) {
            log.atDebug().log("a command out of time has no caller either");
        } finally {
            command.stub().callerGone();
            command.thread().interrupt();
            socket.shutdown();
        }
    }

    private void refuse(String message) {
        var text = (message + "\n").getBytes(StandardCharsets.UTF_8);
        var payload = new byte[1 + text.length];
        payload[0] = 1;
        System.arraycopy(text, 0, payload, 1, text.length);
        writer.send(Frame.REFUSED, 0, payload);
    }
}
