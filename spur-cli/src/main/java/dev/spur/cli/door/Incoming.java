package dev.spur.cli.door;

import dev.spur.cli.CallerGoneException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;

/// A stream from the stub: standard input or a file that it reads. The stub sends nothing before
/// the first read here, and never more than the window.
final class Incoming extends InputStream {
    private final int id;
    private final FrameWriter writer;
    private final int window;
    private final Runnable onClose;

    /// What has arrived, from `start` on: it costs what it holds, however small the frames are that
    /// bring it.
    private byte[] held = {};

    private int start;
    private int buffered;
    private int granted;
    private boolean atEnd;
    private boolean gone;
    private boolean closed;

    /// `granted` is what the stub may send already.
    Incoming(int id, FrameWriter writer, int window, int granted, Runnable onClose) {
        this.id = id;
        this.writer = writer;
        this.window = window;
        this.granted = granted;
        this.onClose = onClose;
    }

    /// A piece arrived; an empty one is the end.
    synchronized void received(ByteBuffer piece) throws ProtocolException {
        if (piece.remaining() > granted || atEnd) {
            throw new ProtocolException("sends more than it may");
        }
        granted -= piece.remaining();
        atEnd = !piece.hasRemaining();
        keep(piece);
        notifyAll();
    }

    /// Twice as much room as is needed: then what is moved to the front is worth moving.
    private void keep(ByteBuffer piece) {
        int length = piece.remaining();
        if (start + buffered + length > held.length) {
            int roomy = 2 * (buffered + length);
            var target = roomy > held.length ? new byte[roomy] : held;
            System.arraycopy(held, start, target, 0, buffered);
            held = target;
            start = 0;
        }
        piece.get(held, start + buffered, length);
        buffered += length;
    }

    synchronized int room() {
        return held.length;
    }

    synchronized void callerGone() {
        gone = true;
        notifyAll();
    }

    @Override
    public int read() throws InterruptedIOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws InterruptedIOException {
        if (length == 0) {
            return 0;
        }
        askForMore();
        synchronized (this) {
            while (buffered == 0) {
                if (atEnd || closed) {
                    return -1;
                }
                if (gone) {
                    throw new CallerGoneException("the caller has gone");
                }
                await();
            }
            int count = Math.min(length, buffered);
            System.arraycopy(held, start, into, offset, count);
            start += count;
            buffered -= count;
            return count;
        }
    }

    @Override
    public synchronized int available() {
        return buffered;
    }

    private void await() throws InterruptedIOException {
        try {
            writer.callersTime().spend(this::wait);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled while waiting for input");
        }
    }

    /// Grants what was read, in large steps; the first time the whole window.
    private void askForMore() {
        int more;
        synchronized (this) {
            more = window - granted - buffered;
            if (atEnd || more < window / 2) {
                return;
            }
            granted += more;
        }
        writer.sendInt(Frame.CREDIT, id, more);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            notifyAll();
        }
        onClose.run();
    }
}
