package dev.spur.cli;

import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.Locale;

/// Standard output or error of a command: text in the caller's character set, or bytes as they are.
/// Bytes gather in one buffer and leave in large pieces. Safe for use by several threads; a line
/// printed by one call stays whole. Throws [CallerGoneException] when nobody reads.
public final class Output extends OutputStream {
    private static final int CAPACITY = 32 * 1024;
    private static final byte[] EMPTY = {};

    private final Sink sink;
    private final Charset charset;
    private final boolean unbuffered;
    private final Runnable before;
    private byte[] buffer = EMPTY;
    private int length;

    /// Where full buffers go. Returns when the bytes are taken; may block for a slow reader.
    @FunctionalInterface
    public interface Sink {
        void send(byte[] bytes, int offset, int length);
    }

    private Output(Sink sink, Charset charset, boolean unbuffered, Runnable before) {
        this.sink = sink;
        this.charset = charset;
        this.unbuffered = unbuffered;
        this.before = before;
    }

    public static Output buffered(Sink sink, Charset charset) {
        return new Output(sink, charset, false, () -> {});
    }

    /// Sends each print at once, after what `out` still holds: so the order of lines on a terminal
    /// is the order in which they were printed.
    public static Output unbuffered(Sink sink, Charset charset, Output out) {
        return new Output(sink, charset, true, out::flush);
    }

    public synchronized Output print(String text) {
        put(text.getBytes(charset));
        return afterWrite();
    }

    public synchronized Output println(String text) {
        put(text.getBytes(charset));
        put('\n');
        return afterWrite();
    }

    public synchronized Output println() {
        put('\n');
        return afterWrite();
    }

    public Output format(String format, Object... arguments) {
        return print(String.format(Locale.ROOT, format, arguments));
    }

    @Override
    public synchronized void write(int value) {
        put(value);
        afterWrite();
    }

    @Override
    public void write(byte[] bytes) {
        write(bytes, 0, bytes.length);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int count) {
        put(bytes, offset, count);
        afterWrite();
    }

    @Override
    public synchronized void flush() {
        if (length > 0) {
            var count = length;
            length = 0;
            sink.send(buffer, 0, count);
        }
    }

    /// Closing a standard stream only flushes it: it belongs to the caller.
    @Override
    public void close() {
        flush();
    }

    private Output afterWrite() {
        if (unbuffered) {
            before.run();
            flush();
        }
        return this;
    }

    private void put(byte[] bytes) {
        put(bytes, 0, bytes.length);
    }

    private void put(int value) {
        room(1);
        buffer[length++] = (byte) value;
    }

    private void put(byte[] bytes, int offset, int count) {
        if (count >= CAPACITY) {
            flush();
            sink.send(bytes, offset, count);
            return;
        }
        room(count);
        System.arraycopy(bytes, offset, buffer, length, count);
        length += count;
    }

    /// The buffer starts small, since most commands print little, and grows to its full size once.
    private void room(int count) {
        if (length + count > CAPACITY) {
            flush();
        }
        if (length + count > buffer.length) {
            var larger =
                    new byte
                            [Math.min(
                                    CAPACITY,
                                    Math.max(length + count, Math.max(1024, buffer.length * 4)))];
            System.arraycopy(buffer, 0, larger, 0, length);
            buffer = larger;
        }
    }
}
