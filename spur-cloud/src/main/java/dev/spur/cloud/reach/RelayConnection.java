package dev.spur.cloud.reach;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A connection from inside a session. Reading and writing block as those of a socket do.
public final class RelayConnection implements AutoCloseable {
    private static final int CREDIT = 256 << 10;
    private static final int CREDIT_AT_LEAST = 64 << 10;

    private enum State {
        OPENING,
        OPEN,
        GONE
    }

    private final Relay relay;
    private final int number;
    private final ArrayDeque<ByteBuffer> arrived = new ArrayDeque<>();
    private State state = State.OPENING;
    private @Nullable String refusal;
    private boolean ended;
    private long waiting; // bytes in `arrived`
    private int uncredited;
    private int credit = CREDIT;
    private boolean endSent;

    RelayConnection(Relay relay, int number) {
        this.relay = relay;
        this.number = number;
    }

    int number() {
        return number;
    }

    synchronized void awaitOpened(Duration atMost) throws InterruptedException {
        var deadline = System.nanoTime() + atMost.toNanos();
        while (state == State.OPENING) {
            var left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new NotReachedException("nobody answered in time");
            }
            wait(left);
        }
        if (state == State.GONE) {
            throw new NotReachedException(
                    Objects.requireNonNullElse(refusal, "the session's relay has gone"));
        }
    }

    synchronized void opened() {
        if (state == State.OPENING) {
            state = State.OPEN;
            notifyAll();
        }
    }

    synchronized void failed(String why) {
        refusal = why;
        gone();
    }

    synchronized void arrived(byte[] bytes) throws IOException {
        if (bytes.length == 0) {
            return; // costs no credit, so nothing would bound how many wait
        }
        if (waiting + uncredited + bytes.length > CREDIT) {
            throw new IOException("the relay sent more than it was allowed");
        }
        waiting += bytes.length;
        arrived.add(ByteBuffer.wrap(bytes));
        notifyAll();
    }

    synchronized void ended() {
        ended = true;
        notifyAll();
    }

    synchronized void gone() {
        ended = true;
        state = State.GONE;
        relay.forget(number);
        notifyAll();
    }

    synchronized void credited(byte[] payload) throws IOException {
        var more = payload.length == Integer.BYTES ? ByteBuffer.wrap(payload).getInt() : -1;
        if (more < 0 || more > CREDIT - credit) {
            throw new IOException("the relay gave a credit that makes no sense");
        }
        credit += more;
        notifyAll();
    }

    public InputStream input() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                var one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return take(bytes, offset, length);
            }
        };
    }

    public OutputStream output() {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                give(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                end();
            }
        };
    }

    private int take(byte[] bytes, int offset, int length) throws IOException {
        int count;
        var grant = 0;
        synchronized (this) {
            while (arrived.isEmpty() && !ended) {
                pause();
            }
            if (arrived.isEmpty()) {
                return -1;
            }
            var first = arrived.getFirst();
            count = Math.min(length, first.remaining());
            first.get(bytes, offset, count);
            if (!first.hasRemaining()) {
                arrived.removeFirst();
            }
            waiting -= count;
            uncredited += count;
            if (state == State.OPEN && (uncredited >= CREDIT_AT_LEAST || arrived.isEmpty())) {
                grant = uncredited;
                uncredited = 0;
            }
        }
        if (grant > 0) {
            relay.send(
                    Relay.Type.CREDIT,
                    number,
                    ByteBuffer.allocate(Integer.BYTES).putInt(grant).array());
        }
        return count;
    }

    private void give(byte[] bytes, int offset, int length) throws IOException {
        var at = offset;
        while (at < offset + length) {
            int count;
            synchronized (this) {
                while (credit == 0 && state == State.OPEN) {
                    pause();
                }
                if (state != State.OPEN || endSent) {
                    throw new IOException("the connection is closed");
                }
                count = Math.min(Math.min(credit, Relay.LARGEST), offset + length - at);
                credit -= count;
            }
            relay.send(Relay.Type.DATA, number, bytes, at, count);
            at += count;
        }
    }

    private void end() throws IOException {
        synchronized (this) {
            if (state != State.OPEN || endSent) {
                return;
            }
            endSent = true;
        }
        relay.send(Relay.Type.END, number, new byte[0]);
    }

    private void pause() throws IOException {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (state == State.GONE) {
                return;
            }
            gone();
        }
        try {
            relay.send(Relay.Type.CLOSE, number, new byte[0]);
        } catch (IOException _) {
            // the relay has gone, and the connection with it
        }
    }
}
