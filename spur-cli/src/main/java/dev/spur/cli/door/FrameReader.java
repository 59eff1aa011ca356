package dev.spur.cli.door;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Cuts what a stub sends into frames. One frame is current at a time; its payload is a view that
/// the next call overwrites.
final class FrameReader {
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final int SMALL = 8 * 1024;
    private static final int LARGE = Frame.HEADER + Frame.PAYLOAD;

    private final UnixSocket socket;
    private byte[] buffer = new byte[SMALL];
    private int start;
    private int end;
    private int type;
    private int stream;
    private ByteBuffer payload = ByteBuffer.allocate(0);
    private @Nullable Long deadline;

    FrameReader(UnixSocket socket) {
        this.socket = socket;
    }

    /// From now on everything must arrive within that time, however it is cut.
    void endIn(Duration patience) {
        deadline = System.nanoTime() + patience.toNanos();
    }

    /// From now on the stub may take its time.
    void noEnd() {
        deadline = null;
    }

    /// Moves to the next frame; false at the end.
    boolean next() throws IOException, InterruptedException {
        if (!fill(Frame.HEADER)) {
            return false;
        }
        int length = (int) INT.get(buffer, start);
        if (length < 0 || length > Frame.PAYLOAD) {
            throw new ProtocolException(
                    "a frame of " + Integer.toUnsignedString(length) + " bytes");
        }
        type = buffer[start + 4];
        stream = (int) INT.get(buffer, start + 5);
        if (!fill(Frame.HEADER + length)) {
            throw new ProtocolException("half a frame");
        }
        payload = ByteBuffer.wrap(buffer, start + Frame.HEADER, length);
        start += Frame.HEADER + length;
        return true;
    }

    int type() {
        return type;
    }

    int stream() {
        return stream;
    }

    ByteBuffer payload() {
        return payload;
    }

    byte[] copy() {
        var bytes = new byte[payload.remaining()];
        payload.get(bytes);
        return bytes;
    }

    /// Makes `wanted` bytes available at `start`; false when the stub ended before the first.
    private boolean fill(int wanted) throws IOException, InterruptedException {
        if (end - start >= wanted) {
            return true;
        }
        if (start + wanted > buffer.length) {
            var target = wanted > buffer.length ? Arrays.copyOf(buffer, LARGE) : buffer;
            System.arraycopy(buffer, start, target, 0, end - start);
            end -= start;
            start = 0;
            buffer = target;
        }
        while (end - start < wanted) {
            int count = socket.receive(buffer, end, buffer.length - end, patience());
            if (count < 0) {
                if (end == start) {
                    return false;
                }
                throw new ProtocolException("half a frame");
            }
            end += count;
        }
        return true;
    }

    /// Zero is for ever.
    private Duration patience() throws IOException {
        if (deadline == null) {
            return Duration.ZERO;
        }
        var left = deadline - System.nanoTime();
        if (left <= 0) {
            throw new IOException("the caller takes too long");
        }
        return Duration.ofNanos(left);
    }
}
