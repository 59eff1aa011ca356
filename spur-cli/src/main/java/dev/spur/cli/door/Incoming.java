package dev.spur.cli.door;

import dev.spur.cli.CallerGoneException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;

/// A stream from the stub: standard input or a file that it reads. The stub sends nothing before
/// the first read here, and never more than the window.
final class Incoming extends InputStream {
    private final int id;
    private final FrameWriter writer;
    private final int window;
    private final Runnable onClose;
    private final ArrayDeque<byte[]> pieces = new ArrayDeque<>();
    private int position;
    private int granted;
    private int buffered;
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
    synchronized void received(byte[] piece) throws ProtocolException {
        if (piece.length > granted || atEnd) {
            throw new ProtocolException("sends more than it may");
        }
        granted -= piece.length;
        if (piece.length == 0) {
            atEnd = true;
        } else {
            pieces.add(piece);
            buffered += piece.length;
        }
        notifyAll();
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
            while (pieces.isEmpty()) {
                if (atEnd || closed) {
                    return -1;
                }
                if (gone) {
                    throw new CallerGoneException("the caller has gone");
                }
                await();
            }
            var piece = pieces.getFirst();
            int count = Math.min(length, piece.length - position);
            System.arraycopy(piece, position, into, offset, count);
            position += count;
            buffered -= count;
            if (position == piece.length) {
                pieces.removeFirst();
                position = 0;
            }
            return count;
        }
    }

    @Override
    public synchronized int available() {
        return pieces.isEmpty() ? 0 : pieces.getFirst().length - position;
    }

    private void await() throws InterruptedIOException {
        try {
            wait();
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
