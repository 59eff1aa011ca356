package dev.spur.cloud.terminal;

import io.helidon.common.buffers.BufferData;
import io.helidon.webserver.websocket.WsConnection;
import io.helidon.websocket.WsSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/// The sending side of a WebSocket: one frame after the other, pings, and the end of a viewer who
/// has not said anything for too long, also when a frame to it is stuck.
final class TerminalWire {
    private static final Duration PING_EVERY = Duration.ofSeconds(20);
    private static final Duration SILENT_AT_MOST = Duration.ofSeconds(60);
    private static final Duration CLOSES_WITHIN = Duration.ofSeconds(4);
    private static final int LONGEST_REASON = 120; // of the 123 bytes of a frame

    private final WsSession session;
    private final boolean speaksFrames;
    private final ReentrantLock lock = new ReentrantLock();
    private final CharsetDecoder decoder =
            StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final ByteBuffer undecoded = ByteBuffer.allocate(8);
    private volatile long heardAt = System.nanoTime();
    private volatile boolean closing;
    private volatile boolean closed;
    private volatile Thread pings = Thread.currentThread();

    TerminalWire(WsSession session, boolean speaksFrames) {
        this.session = session;
        this.speaksFrames = speaksFrames;
    }

    /// @param gone called if the viewer does not answer
    TerminalWire start(Runnable gone) {
        pings =
                Thread.ofVirtual()
                        .name("terminal-pings")
                        .start(() -> {
                            watch();
                            gone.run();
                        });
        return this;
    }

    private void watch() {
        try {
            while (!closed) {
                Thread.sleep(PING_EVERY);
                if (System.nanoTime() - heardAt > SILENT_AT_MOST.toNanos()) {
                    hangUp();
                } else if (lock.tryLock()) { // somebody who sends now pings well enough
                    try {
                        session.ping(BufferData.empty());
                    } finally {
                        lock.unlock();
                    }
                }
            }
        } catch (InterruptedException _) {
            // closed
        } catch (RuntimeException _) {
            hangUp();
        }
    }

    void heard() {
        heardAt = System.nanoTime();
    }

    void pong(byte[] bytes) {
        lock.lock();
        try {
            if (!closing) {
                session.pong(BufferData.create(bytes));
            }
        } finally {
            lock.unlock();
        }
    }

    void bytes(byte[] bytes) throws IOException {
        send(() -> {
            if (speaksFrames) {
                session.send(BufferData.create(bytes), true);
            } else {
                var text = decoded(bytes);
                if (!text.isEmpty()) {
                    session.send(text, true);
                }
            }
        });
    }

    /// What is whole; the beginning of a character waits for the rest of it.
    private String decoded(byte[] bytes) {
        var in = ByteBuffer.allocate(undecoded.position() + bytes.length);
        in.put(undecoded.flip()).put(bytes).flip();
        undecoded.clear();
        var out = CharBuffer.allocate(in.remaining() + 1);
        decoder.decode(in, out, false);
        undecoded.put(in);
        return out.flip().toString();
    }

    void control(String text) throws IOException {
        if (speaksFrames) {
            send(() -> session.send(text, true));
        }
    }

    private void send(Runnable action) throws IOException {
        lock.lock();
        try {
            if (closing) {
                throw new IOException("the viewer has gone");
            }
            action.run();
        } catch (UncheckedIOException e) {
            throw new IOException("the viewer has gone", e);
        } catch (RuntimeException e) {
            hangUp();
            throw new IOException("the viewer has gone", e);
        } finally {
            lock.unlock();
        }
    }

    /// Says why, and hangs up if nobody listens.
    void close(CloseCode code, String why) {
        if (closing) {
            return;
        }
        Thread.ofVirtual()
                .name("terminal-close")
                .start(() -> {
                    try {
                        Thread.sleep(CLOSES_WITHIN);
                    } catch (InterruptedException _) {
                        Thread.currentThread().interrupt();
                    }
                    hangUp();
                });
        lock.lock();
        try {
            if (!closing) {
                closing = true;
                session.close(code.number(), shortened(why));
            }
        } catch (RuntimeException _) {
            hangUp();
        } finally {
            lock.unlock();
        }
    }

    private static String shortened(String why) {
        var text = why;
        while (text.getBytes(StandardCharsets.UTF_8).length > LONGEST_REASON) {
            text = text.substring(0, text.length() - 1);
        }
        return text;
    }

    /// The other side has closed.
    void closed() {
        closing = true;
        closed = true;
        pings.interrupt();
    }

    private void hangUp() {
        if (!closed) {
            closed();
            ((WsConnection) session).close(true);
        }
    }
}
