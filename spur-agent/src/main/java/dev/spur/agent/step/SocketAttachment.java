package dev.spur.agent.step;

import dev.spur.agent.step.SupervisedStep.StreamPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/// A connection of its own to the supervisor, for the streams only, so that nothing else waits
/// behind them.
final class SocketAttachment implements StepAttachment {
    private static final byte WITH_OUTPUT = 1;
    private static final byte LOOKS_ON = 4;
    private static final int POSITION_BYTES = Integer.BYTES + 1 + Long.BYTES;

    private final FrameConnection connection;
    private final Receiver receiver;

    private SocketAttachment(FrameConnection connection, Receiver receiver) {
        this.connection = connection;
        this.receiver = receiver;
    }

    /// @param looksOn whether the tasks wait for nobody here
    static SocketAttachment open(
            Path control, List<StreamPosition> resumeAt, boolean looksOn, Receiver receiver)
            throws IOException {
        var flags = (byte) (looksOn ? WITH_OUTPUT | LOOKS_ON : WITH_OUTPUT);
        var request = ByteBuffer.allocate(1 + resumeAt.size() * POSITION_BYTES).put(flags);
        resumeAt.forEach(position -> put(request, position));
        var connection = FrameConnection.open(control, 'A', request.array());
        var attachment = new SocketAttachment(connection, receiver);
        Thread.ofVirtual().name("step-output").start(attachment::listen);
        return attachment;
    }

    private static ByteBuffer put(ByteBuffer buffer, StreamPosition position) {
        return buffer.putInt(position.rank())
                .put((byte) position.stream())
                .putLong(position.offset());
    }

    private void listen() {
        try {
            while (true) {
                var frame = connection.receive();
                var payload = frame.payload();
                switch (frame.type()) {
                    case 'a' -> receiver.attached(payload.getLong(), payload.getInt());
                    case 'O' -> receiver.output(position(payload), rest(payload));
                    case 'E' -> receiver.outputEnded(position(payload));
                    case 'i' -> receiver.inputTaken(payload.getLong());
                    default -> {} // an answer nobody waits for
                }
            }
        } catch (IOException e) {
            receiver.detached();
        } finally {
            connection.close();
        }
    }

    private static StreamPosition position(ByteBuffer payload) {
        return new StreamPosition(payload.getInt(), payload.get(), payload.getLong());
    }

    private static byte[] rest(ByteBuffer payload) {
        var bytes = new byte[payload.remaining()];
        payload.get(bytes);
        return bytes;
    }

    @Override
    public void seen(StreamPosition upTo) {
        send('C', put(ByteBuffer.allocate(POSITION_BYTES), upTo));
    }

    @Override
    public void input(int rank, long offset, byte[] data) {
        send(
                'I',
                ByteBuffer.allocate(Integer.BYTES + Long.BYTES + data.length)
                        .putInt(rank)
                        .putLong(offset)
                        .put(data));
    }

    @Override
    public void type(int rank, byte[] data) {
        send('Y', ByteBuffer.allocate(Integer.BYTES + data.length).putInt(rank).put(data));
    }

    @Override
    public void endInput(int rank) {
        send('D', ByteBuffer.allocate(Integer.BYTES).putInt(rank));
    }

    @Override
    public void resize(int rows, int columns) {
        send('W', ByteBuffer.allocate(4).putShort((short) rows).putShort((short) columns));
    }

    private void send(char type, ByteBuffer payload) {
        try {
            connection.send(type, payload.array());
        } catch (IOException _) {
            connection.close(); // the listening thread tells the receiver
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
