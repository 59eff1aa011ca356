package dev.spur.cloud.reach;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;

/// Bytes on their way from a step to whoever reads them: whoever fills it waits while too many are
/// in it.
final class Pipe extends InputStream {
    private static final int MOST = 256 << 10;

    private final ArrayDeque<byte[]> pieces = new ArrayDeque<>();
    private int read; // of the first piece
    private int waiting;
    private boolean ended;
    private boolean closed;

    synchronized void fill(byte[] bytes) throws InterruptedException {
        while (waiting >= MOST && !closed) {
            wait();
        }
        if (!closed && bytes.length > 0) {
            pieces.add(bytes);
            waiting += bytes.length;
            notifyAll();
        }
    }

    /// Nothing more comes.
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] bytes, int offset, int length) throws IOException {
        try {
            while (pieces.isEmpty() && !ended && !closed) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (pieces.isEmpty()) {
            return -1;
        }
        var first = pieces.getFirst();
        var count = Math.min(length, first.length - read);
        System.arraycopy(first, read, bytes, offset, count);
        read += count;
        if (read == first.length) {
            pieces.removeFirst();
            read = 0;
        }
        waiting -= count;
        notifyAll();
        return count;
    }

    /// Nobody reads any more; what comes is dropped.
    @Override
    public synchronized void close() {
        closed = true;
        pieces.clear();
        waiting = 0;
        notifyAll();
    }
}
