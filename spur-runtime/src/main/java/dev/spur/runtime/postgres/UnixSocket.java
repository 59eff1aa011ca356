package dev.spur.runtime.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/// A Unix socket in the shape that the JDBC driver wants: the JDK has Unix sockets as channels
/// only. One thread at a time reads; closing wakes it.
final class UnixSocket extends Socket {
    private static final int BUFFER = 64 << 10;

    private final Path path;
    private final SocketChannel channel;
    private volatile int timeout;
    private volatile boolean connected;

    UnixSocket(Path path) throws IOException {
        this.path = path;
        this.channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    }

    /// Connects to the path, whatever host and port the driver believes in.
    @Override
    public void connect(SocketAddress endpoint) throws IOException {
        channel.connect(UnixDomainSocketAddress.of(path));
        connected = true;
    }

    /// The server is on this machine: a connection is made at once or refused.
    @Override
    public void connect(SocketAddress endpoint, int patience) throws IOException {
        connect(endpoint);
    }

    @Override
    public InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                var single = new byte[1];
                return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                var buffer = ByteBuffer.wrap(bytes, offset, length);
                try {
                    return length == 0 || timeout == 0 ? channel.read(buffer) : readInTime(buffer);
                } catch (ClosedChannelException e) {
                    throw (SocketException) new SocketException("Socket closed").initCause(e);
                }
            }
        };
    }

    private int readInTime(ByteBuffer buffer) throws IOException {
        channel.configureBlocking(false);
        try (var selector = channel.provider().openSelector()) {
            channel.register(selector, SelectionKey.OP_READ);
            if (selector.select(timeout) == 0) {
                throw new SocketTimeoutException("no answer within %d ms".formatted(timeout));
            }
            return channel.read(buffer);
        } finally {
            if (channel.isOpen()) {
                channel.configureBlocking(true);
            }
        }
    }

    @Override
    public OutputStream getOutputStream() {
        return Channels.newOutputStream(channel);
    }

    @Override
    public void setSoTimeout(int milliseconds) {
        timeout = milliseconds;
    }

    @Override
    public int getSoTimeout() {
        return timeout;
    }

    @Override
    public boolean isConnected() {
        return connected;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    // What follows has no meaning without a network between the two.

    @Override
    public void setTcpNoDelay(boolean on) {}

    @Override
    public boolean getTcpNoDelay() {
        return true;
    }

    @Override
    public void setKeepAlive(boolean on) {}

    @Override
    public boolean getKeepAlive() {
        return false;
    }

    @Override
    public void setSendBufferSize(int size) {}

    @Override
    public int getSendBufferSize() {
        return BUFFER;
    }

    @Override
    public void setReceiveBufferSize(int size) {}

    @Override
    public int getReceiveBufferSize() {
        return BUFFER;
    }
}
