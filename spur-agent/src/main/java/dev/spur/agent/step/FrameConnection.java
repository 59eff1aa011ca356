package dev.spur.agent.step;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/// Frames over a Unix socket: u32 length, u8 type, payload.
final class FrameConnection implements AutoCloseable {
    private static final int LARGEST = 64 << 20;

    record Frame(char type, ByteBuffer payload) {}

    private final SocketChannel channel;
    private final ReentrantLock writing = new ReentrantLock();

    private FrameConnection(SocketChannel channel) {
        this.channel = channel;
    }

    static FrameConnection open(Path socket) throws IOException {
        var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            return new FrameConnection(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /// Connects and says the first thing.
    static FrameConnection open(Path socket, char type, byte[] payload) throws IOException {
        var connection = open(socket);
        try {
            connection.send(type, payload);
            return connection;
        } catch (IOException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    void send(char type, byte[] payload) throws IOException {
        var header = ByteBuffer.allocate(5).putInt(payload.length + 1).put((byte) type).flip();
        var parts = new ByteBuffer[] {header, ByteBuffer.wrap(payload)};
        writing.lock();
        try {
            while (parts[1].hasRemaining() || parts[0].hasRemaining()) {
                channel.write(parts);
            }
        } finally {
            writing.unlock();
        }
    }

    /// Waits for the next frame.
    ///
    /// @throws EOFException when the other side has gone
    Frame receive() throws IOException {
        var header = read(5);
        var length = header.getInt();
        if (length < 1 || length > LARGEST) {
            throw new IOException(
                    "the step supervisor sent a frame of impossible length " + length);
        }
        var type = (char) header.get();
        return new Frame(type, read(length - 1));
    }

    private ByteBuffer read(int length) throws IOException {
        var bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()) {
            if (channel.read(bytes) < 0) {
                throw new EOFException("the step supervisor hung up");
            }
        }
        return bytes.flip();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException _) {
            // Nothing more can be done with a socket that does not even close.
        }
    }
}
