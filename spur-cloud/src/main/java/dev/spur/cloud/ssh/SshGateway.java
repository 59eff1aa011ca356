package dev.spur.cloud.ssh;

import dev.spur.cloud.reach.Program;
import dev.spur.model.notation.HostAndPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.PublicKey;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.RequestHandler;
import org.apache.sshd.common.compression.BuiltinCompressions;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.OpenSshCertificate;
import org.apache.sshd.common.digest.BuiltinDigests;
import org.apache.sshd.common.global.KeepAliveHandler;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.core.CoreModuleProperties;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.auth.pubkey.UserAuthPublicKeyFactory;
import org.apache.sshd.server.channel.ChannelSession;
import org.apache.sshd.server.command.Command;
import org.apache.sshd.server.forward.RejectAllForwardingFilter;
import org.apache.sshd.server.global.NoMoreSessionsHandler;
import org.apache.sshd.server.session.ServerSession;
import org.apache.sshd.server.subsystem.SubsystemFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The SSH server in front of the sessions.
///
/// ```
///  ssh SESSION@host ──▶ key ──▶ GuestList: whose is it, which session is meant, may he
///         │
///         ├─ shell, command, sftp ──▶ SessionCommand ──▶ a step of the session's job
///         └─ -L, -D, Unix sockets ──▶ ForwardChannel ──▶ the session's relay
/// ```
public final class SshGateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SshGateway.class);

    /// Of one channel: so much may wait for a program that does not read.
    private static final long WINDOW = 256 << 10;

    private final SshServer server;

    private SshGateway(SshServer server) {
        this.server = server;
    }

    /// @param entered hears of each guest, with what ends the connection (for a reason that the
    ///   client shows)
    public static SshGateway open(
            HostAndPort listen,
            HostKey key,
            GuestList guests,
            SshLimits limits,
            BiConsumer<Guest, Connection> entered) {
        var server = SshServer.setUpDefaultServer();
        server.setHost(listen.host());
        server.setPort(listen.port());
        server.setKeyPairProvider(key.provider());
        server.setUserAuthFactories(List.of(UserAuthPublicKeyFactory.INSTANCE));
        server.setPublickeyAuthenticator(
                (user, shown, session) -> admit(guests, user, shown, session));
        server.setCompressionFactories(List.of(BuiltinCompressions.none));
        server.setForwardingFilter(RejectAllForwardingFilter.INSTANCE);
        server.setGlobalRequestHandlers(
                List.of(
                        KeepAliveHandler.INSTANCE,
                        NoMoreSessionsHandler.INSTANCE,
                        (_, _, _, _) -> RequestHandler.Result.ReplyFailure)); // forwards back, too
        server.setChannelFactories(
                List.of(
                        new GatewayChannel.Factory(),
                        new ForwardChannel.Factory(ForwardChannel.Kind.TCP),
                        new ForwardChannel.Factory(ForwardChannel.Kind.UNIX)));
        server.setShellFactory(_ ->
                new SessionCommand(
                        channel -> Program.shell(channel.variables(), channel.terminal())));
        server.setCommandFactory((_, line) ->
                new SessionCommand(
                        channel -> Program.line(line, channel.variables(), channel.terminal())));
        server.setSubsystemFactories(List.of(new Sftp()));
        bound(server, limits);
        server.addSessionListener(
                new ConnectionBounds(
                        limits,
                        (session, room) -> {
                            askWhetherThere(session, limits.aliveEvery());
                            entered.accept(room.guest(), new Connection(session));
                        }));
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "SSH cannot listen at %s: %s".formatted(listen, e.getMessage()), e);
        }
        return new SshGateway(server);
    }

    /// A client's connection.
    ///
    /// @param session of SSH
    public record Connection(Session session) {
        public void end(String why) {
            ConnectionBounds.disconnect(session, SshConstants.SSH2_DISCONNECT_BY_APPLICATION, why);
        }

        public boolean isOpen() {
            return session.isOpen();
        }

        public void whenClosed(Runnable action) {
            session.addCloseFutureListener(_ -> action.run());
        }
    }

    private static final class Sftp implements SubsystemFactory {
        @Override
        public String getName() {
            return "sftp";
        }

        @Override
        public Command createSubsystem(ChannelSession channel) {
            return new SessionCommand(known -> Program.sftp(known.variables()));
        }
    }

    private static boolean admit(
            GuestList guests, String user, PublicKey shown, ServerSession session) {
        if (shown instanceof OpenSshCertificate) {
            return false; // nobody here vouches for people but their profiles
        }
        var admission = guests.admit(KeyUtils.getFingerPrint(BuiltinDigests.sha256, shown), user);
        GuestRoom.noteAdmission(session, admission);
        return !(admission instanceof Admission.Stranger);
    }

    private static void bound(SshServer server, SshLimits limits) {
        CoreModuleProperties.SERVER_IDENTIFICATION.set(server, "Spur");
        CoreModuleProperties.AUTH_TIMEOUT.set(server, limits.toProve());
        CoreModuleProperties.MAX_AUTH_REQUESTS.set(server, limits.tries());
        CoreModuleProperties.MAX_CONCURRENT_CHANNELS.set(server, limits.channels());
        CoreModuleProperties.WINDOW_SIZE.set(server, WINDOW);
        CoreModuleProperties.IDLE_TIMEOUT.set(server, limits.idle());
        CoreModuleProperties.NIO2_READ_TIMEOUT.set(server, Duration.ZERO);
    }

    /// A client whose host has vanished does not keep what it had open.
    private static void askWhetherThere(Session session, Duration every) {
        var asking =
                Thread.ofVirtual()
                        .name("ssh-alive")
                        .start(() -> {
                            try {
                                while (session.isOpen()) {
                                    Thread.sleep(every);
                                    var question =
                                            session.createBuffer(
                                                    SshConstants.SSH_MSG_GLOBAL_REQUEST, 64);
                                    question.putString("keepalive@openssh.com");
                                    question.putBoolean(true);
                                    session.request("keepalive@openssh.com", question, every);
                                }
                            } catch (InterruptedException _) {
                                Thread.currentThread().interrupt();
                            } catch (IOException e) {
                                LOG.atDebug()
                                        .addKeyValue("cause", e.toString())
                                        .log("a client of SSH does not answer");
                                session.close(true);
                            }
                        });
        session.addCloseFutureListener(_ -> asking.interrupt());
    }

    public int port() {
        return server.getPort();
    }

    @Override
    public void close() {
        try {
            server.stop(true);
        } catch (IOException e) {
            LOG.atWarn().setCause(e).log("SSH did not stop in order");
        }
    }
}
