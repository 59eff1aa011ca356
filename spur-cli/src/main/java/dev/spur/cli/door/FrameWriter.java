package dev.spur.cli.door;

import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Memory;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/// Sends frames to a stub. Several threads may write; frames stay whole. What is only added waits
/// for the next send: a short command's whole answer leaves in one system call.
final class FrameWriter {
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final byte[] NOTHING = {};
    private static final int MOST = 2 * (Frame.HEADER + Frame.PAYLOAD);

    private final UnixSocket socket;
    private final ReentrantLock lock = new ReentrantLock();
    private byte[] buffer = new byte[1024];
    private int length;
    private int gathering;

    FrameWriter(UnixSocket socket) {
        this.socket = socket;
    }

    CallersTime callersTime() {
        return socket.callersTime();
    }

    void send(int type, int stream) {
        send(type, stream, NOTHING, 0, 0);
    }

    void send(int type, int stream, byte[] payload) {
        send(type, stream, payload, 0, payload.length);
    }

    void send(int type, int stream, byte[] payload, int offset, int count) {
        write(type, stream, payload, offset, count, true);
    }

    void add(int type, int stream, byte[] payload, int offset, int count) {
        write(type, stream, payload, offset, count, false);
    }

    void sendInt(int type, int stream, int value) {
        var payload = new byte[4];
        INT.set(payload, 0, value);
        send(type, stream, payload);
    }

    void sendLong(int type, int stream, long value) {
        var payload = new byte[8];
        LONG.set(payload, 0, value);
        send(type, stream, payload);
    }

    /// Data and memories that the work sends leave in one system call at its end, or earlier when
    /// there is much of it.
    void gather(Memory.Work work) throws IOException {
        gathering(1);
        try {
            work.run();
        } finally {
            gathering(-1);
            send();
        }
    }

    private void gathering(int more) {
        lock.lock();
        gathering += more;
        lock.unlock();
    }

    private boolean isGathered(int type) {
        return gathering > 0 && (type == Frame.DATA || type == Frame.MEMORY);
    }

    private void send() {
        lock.lock();
        try {
            flush();
        } catch (IOException e) {
            throw new CallerGoneException("the caller has gone");
        } finally {
            lock.unlock();
        }
    }

    private void write(int type, int stream, byte[] payload, int offset, int count, boolean now) {
        lock.lock();
        try {
            if (length + Frame.HEADER + count > MOST) {
                flush();
            }
            if (length + Frame.HEADER + count > buffer.length) {
                int larger = Math.max(length + Frame.HEADER + count, buffer.length * 4);
                buffer = Arrays.copyOf(buffer, Math.min(MOST, larger));
            }
            INT.set(buffer, length, count);
            buffer[length + 4] = (byte) type;
            INT.set(buffer, length + 5, stream);
            System.arraycopy(payload, offset, buffer, length + Frame.HEADER, count);
            length += Frame.HEADER + count;
            if (now && !isGathered(type)) {
                flush();
            }
        } catch (IOException e) {
            throw new CallerGoneException("the caller has gone");
        } finally {
            lock.unlock();
        }
    }

    private void flush() throws IOException {
        int count = length;
        length = 0;
        socket.send(buffer, 0, count);
    }
}
