package dev.spur.cloud.ports;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/// What comes from a browser, of which the head must come within some time: whoever sends a byte
/// now and then holds a place no longer than that.
final class HeadInput extends InputStream {
    private final Socket socket;
    private final InputStream in;
    private final long deadline;
    private boolean hasCome;

    HeadInput(Socket socket, Duration within) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
        this.deadline = System.nanoTime() + within.toNanos();
    }

    /// From here on the socket's own patience counts.
    void headHasCome() {
        hasCome = true;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (!hasCome) {
            var left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new SocketTimeoutException("the head did not come in time");
            }
            socket.setSoTimeout((int) left);
        }
        return in.read(bytes, offset, length);
    }

    @Override
    public int available() throws IOException {
        return in.available();
    }
}
