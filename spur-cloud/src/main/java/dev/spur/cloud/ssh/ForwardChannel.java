package dev.spur.cloud.ssh;

import dev.spur.cloud.reach.NotReachedException;
import dev.spur.cloud.reach.RelayConnection;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.sshd.client.future.DefaultOpenFuture;
import org.apache.sshd.client.future.OpenFuture;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.Channel;
import org.apache.sshd.common.channel.ChannelFactory;
import org.apache.sshd.common.channel.ChannelOutputStream;
import org.apache.sshd.common.channel.exception.SshChannelOpenException;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.server.channel.AbstractServerChannel;
import org.jspecify.annotations.Nullable;

/// A connection into the session for a client that forwards one: `-L`, `-D`, editors. Opened by the
/// session's own relay; what waits for it is bounded by the channel's window.
final class ForwardChannel extends AbstractServerChannel {
    private static final byte[] END = new byte[0];
    private static final int MOST_PORT = 65_535;

    /// Which forwards there are.
    enum Kind {
        TCP("direct-tcpip"),
        UNIX("direct-streamlocal@openssh.com");

        private final String name;

        Kind(String name) {
            this.name = name;
        }
    }

    record Factory(Kind kind) implements ChannelFactory {
        @Override
        public String getName() {
            return kind.name;
        }

        @Override
        public Channel createChannel(Session session) {
            return new ForwardChannel(kind);
        }
    }

    private final Kind kind;
    private final LinkedBlockingQueue<byte[]> toSession = new LinkedBlockingQueue<>();
    private volatile @Nullable RelayConnection connection;

    private ForwardChannel(Kind kind) {
        super("", Collections.emptyList(), null);
        this.kind = kind;
    }

    @Override
    protected OpenFuture doInit(Buffer buffer) {
        var future = new DefaultOpenFuture(this, this);
        var host = buffer.getString();
        var port = kind == Kind.TCP ? buffer.getInt() : 0;
        Thread.ofVirtual().name("ssh-forward").start(() -> open(future, host, port));
        return future;
    }

    private void open(OpenFuture future, String host, int port) {
        try {
            if (kind == Kind.TCP && (port < 1 || port > MOST_PORT)) {
                throw new NotReachedException("there is no port " + port);
            }
            var room = GuestRoom.of(getSession());
            var opened = kind == Kind.TCP ? room.openTcp(host, port) : room.openUnix(host);
            connection = opened;
            signalChannelOpenSuccess();
            future.setOpened();
            Thread.ofVirtual().name("ssh-forward-in").start(() -> copyIn(opened));
            copyOut(opened);
        } catch (NotReachedException e) {
            refuse(future, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            refuse(future, e);
        } finally {
            notifyStateChanged("forward");
        }
    }

    private void refuse(OpenFuture future, Exception why) {
        signalChannelOpenFailure(why);
        future.setException(
                new SshChannelOpenException(
                        getChannelId(),
                        SshConstants.SSH_OPEN_CONNECT_FAILED,
                        String.valueOf(why.getMessage()),
                        why));
        close(true);
    }

    private void copyOut(RelayConnection opened) {
        try (var out =
                new ChannelOutputStream(
                        this, getRemoteWindow(), log, SshConstants.SSH_MSG_CHANNEL_DATA, true)) {
            copy(opened, out);
        } catch (IOException _) {
            close(true);
            return;
        }
        finishIfDone();
    }

    private static void copy(RelayConnection opened, OutputStream out) throws IOException {
        var buffer = new byte[32 << 10];
        var in = opened.input();
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            out.write(buffer, 0, count);
            out.flush();
        }
    }

    private void copyIn(RelayConnection opened) {
        try (var out = opened.output()) {
            for (var bytes = toSession.take(); bytes.length > 0; bytes = toSession.take()) {
                out.write(bytes);
                getLocalWindow().release(bytes.length);
            }
        } catch (IOException _) {
            close(false);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        finishIfDone();
    }

    /// A channel ends when both sides have no more to say.
    private void finishIfDone() {
        if (isEofSent() && isEofSignalled()) {
            close(false);
        }
    }

    @Override
    public void handleEof() throws IOException {
        super.handleEof();
        toSession.add(END);
    }

    @Override
    protected void doWriteData(byte[] data, int offset, long length) {
        if (length > 0) {
            toSession.add(Arrays.copyOfRange(data, offset, offset + (int) length));
        }
    }

    @Override
    protected void doWriteExtendedData(byte[] data, int offset, long length) {
        throw new UnsupportedOperationException("forwards have one stream");
    }

    @Override
    protected void preClose() {
        toSession.add(END);
        var opened = connection;
        if (opened != null) {
            opened.close();
        }
        super.preClose();
    }
}
