package dev.spur.cloud.ssh;

import dev.spur.cloud.reach.NotReachedException;
import dev.spur.cloud.reach.Program;
import dev.spur.cloud.reach.ProgramEnd;
import dev.spur.cloud.reach.RunningProgram;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Function;
import org.apache.sshd.server.Environment;
import org.apache.sshd.server.ExitCallback;
import org.apache.sshd.server.Signal;
import org.apache.sshd.server.channel.ChannelSession;
import org.apache.sshd.server.command.Command;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A program of a session in a channel of a client. Both its streams wait for each other: no more
/// is on the way than the windows of SSH and of the step.
final class SessionCommand implements Command {
    private static final Logger LOG = LoggerFactory.getLogger(SessionCommand.class);

    /// As `ssh` itself exits when the connection breaks.
    private static final int BROKEN = 255;

    private final Function<GatewayChannel, Program> wish;
    private @Nullable InputStream in;
    private @Nullable OutputStream out;
    private @Nullable OutputStream error;
    private @Nullable ExitCallback exit;
    private volatile @Nullable Thread thread;
    private volatile @Nullable RunningProgram program;

    SessionCommand(Function<GatewayChannel, Program> wish) {
        this.wish = wish;
    }

    @Override
    public void setInputStream(InputStream stream) {
        in = stream;
    }

    @Override
    public void setOutputStream(OutputStream stream) {
        out = stream;
    }

    @Override
    public void setErrorStream(OutputStream stream) {
        error = stream;
    }

    @Override
    public void setExitCallback(ExitCallback callback) {
        exit = callback;
    }

    @Override
    public void start(ChannelSession session, Environment environment) {
        var channel = (GatewayChannel) session;
        thread = Thread.ofVirtual().name("ssh-program").start(() -> run(channel, environment));
    }

    private void run(GatewayChannel channel, Environment environment) {
        try {
            end(channel, converse(channel, environment));
        } catch (NotReachedException e) {
            say(String.valueOf(e.getMessage()));
            exit(BROKEN);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the client has gone
        } catch (RuntimeException e) {
            LOG.atWarn().setCause(e).log("a program of SSH failed");
            say("something went wrong here; try again");
            exit(BROKEN);
        }
    }

    private ProgramEnd converse(GatewayChannel channel, Environment environment)
            throws InterruptedException {
        var room = GuestRoom.of(channel.getSession());
        try (var running = room.guest().programs().start(wish.apply(channel))) {
            program = running;
            environment.addSignalListener((_, signal) -> signal(running, channel, signal));
            running.resize(channel.rows(), channel.columns()); // it may have changed meanwhile
            var copies =
                    new Thread[] {
                        copying(running.output(), out()), copying(running.error(), error())
                    };
            Thread.ofVirtual().name("ssh-input").start(() -> feed(running));
            for (var copy : copies) {
                copy.join();
            }
            return running.await();
        }
    }

    private static void signal(RunningProgram running, GatewayChannel channel, Signal signal) {
        if (signal == Signal.WINCH) {
            running.resize(channel.rows(), channel.columns());
        } else if (Signals.number(signal) > 0) {
            running.signal(Signals.number(signal));
        }
    }

    private static Thread copying(InputStream from, OutputStream to) {
        return Thread.ofVirtual()
                .name("ssh-output")
                .start(() -> {
                    try (from) {
                        var buffer = new byte[32 << 10];
                        for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                            to.write(buffer, 0, count);
                            to.flush();
                        }
                    } catch (IOException _) {
                        // the client reads no more, or the program's end tells why
                    }
                });
    }

    private void feed(RunningProgram running) {
        try (var to = running.input()) {
            var from = Objects.requireNonNull(in);
            var buffer = new byte[32 << 10];
            for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                to.write(buffer, 0, count);
                to.flush();
            }
        } catch (IOException _) {
            // the program reads no more, or the client has gone: its channel's end ends both
        }
    }

    private void end(GatewayChannel channel, ProgramEnd end) {
        switch (end) {
            case ProgramEnd.Exited(var code) -> exit(code);
            case ProgramEnd.Signalled(var number) -> {
                channel.endedBy(Signals.name(number));
                exit(128 + number);
            }
            case ProgramEnd.Lost(var why) -> {
                say(why);
                exit(BROKEN);
            }
        }
    }

    /// To the person at the client.
    private void say(String words) {
        try {
            error().write(("spur: " + words + "\r\n").getBytes(StandardCharsets.UTF_8));
            error().flush();
        } catch (IOException _) {
            // nobody listens any more
        }
    }

    private OutputStream out() {
        return Objects.requireNonNull(out);
    }

    private OutputStream error() {
        return Objects.requireNonNull(error);
    }

    private void exit(int code) {
        Objects.requireNonNull(exit).onExit(code);
    }

    @Override
    public void destroy(ChannelSession channel) {
        var running = program;
        if (running != null) {
            running.close();
        }
        var waiting = thread;
        if (waiting != null) {
            waiting.interrupt();
        }
    }
}
