package dev.spur.cloud.reach;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Connections that a process inside a session opens for us: `spur-relay`, a step as its user. Many
/// of them over one program's input and output; both directions of each have credit, so a slow
/// reader holds up nobody else and fills no memory.
public final class Relay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    /// It ends by itself when its input has been silent for so long: we may have died.
    private static final Duration ENDS_ALONE_AFTER = Duration.ofSeconds(60);

    private static final Duration ALIVE_EVERY = Duration.ofSeconds(15);
    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(20);
    private static final int HEADER = 5; // type and channel
    static final int LARGEST = 32 << 10;

    /// What frames are.
    enum Type {
        OPEN_TCP(1),
        OPEN_UNIX(2),
        OPENED(3),
        FAILED(4),
        DATA(5),
        END(6),
        CLOSE(7),
        CREDIT(8),
        LISTENS(9),
        LISTENS_REPLY(10),
        ALIVE(11);

        private final int number;

        Type(int number) {
            this.number = number;
        }

        private static Type of(int number) throws IOException {
            if (number < 1 || number > values().length) {
                throw new IOException("the relay sent a frame of the unknown type " + number);
            }
            return values()[number - 1];
        }
    }

    private final RunningProgram program;
    private final OutputStream out;
    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Integer, RelayConnection> connections = new ConcurrentHashMap<>();
    private final Map<Integer, CompletableFuture<Boolean>> questions = new ConcurrentHashMap<>();
    private final List<Thread> threads;
    private volatile boolean closed;

    private Relay(RunningProgram program) {
        this.program = program;
        this.out = program.input();
        this.threads =
                List.of(
                        Thread.ofVirtual().name("relay-frames").unstarted(this::read),
                        Thread.ofVirtual().name("relay-words").unstarted(this::listenToErrors),
                        Thread.ofVirtual().name("relay-alive").unstarted(this::stayAlive));
    }

    public static Relay start(Programs programs) throws InterruptedException {
        var command = List.of("spur-relay", "-i", String.valueOf(ENDS_ALONE_AFTER.toSeconds()));
        return over(programs.start(new Program("relay", command, Map.of(), null)));
    }

    public static Relay over(RunningProgram program) {
        var relay = new Relay(program);
        relay.threads.forEach(Thread::start);
        return relay;
    }

    /// @throws NotReachedException if nobody answers there, with the reason
    public RelayConnection openTcp(String host, int port) throws InterruptedException {
        return open(Type.OPEN_TCP, host + "\0" + port);
    }

    /// @throws NotReachedException if nobody answers there, with the reason
    public RelayConnection openUnix(String path) throws InterruptedException {
        return open(Type.OPEN_UNIX, path);
    }

    private RelayConnection open(Type type, String where) throws InterruptedException {
        var connection = new RelayConnection(this, numbers.incrementAndGet());
        connections.put(connection.number(), connection);
        try {
            send(type, connection.number(), where.getBytes(StandardCharsets.UTF_8));
            connection.awaitOpened(ANSWERS_WITHIN);
            return connection;
        } catch (NotReachedException | InterruptedException e) {
            connection.close();
            throw e;
        } catch (IOException e) {
            connection.close();
            throw new NotReachedException("the session's relay has gone", e);
        }
    }

    /// Whether a TCP port is listened at by the session's user, and by nobody else.
    public boolean listens(int port) throws InterruptedException {
        var number = numbers.incrementAndGet();
        var answer = new CompletableFuture<Boolean>();
        questions.put(number, answer);
        try {
            if (closed) {
                throw new NotReachedException("the session's relay has gone");
            }
            send(Type.LISTENS, number, String.valueOf(port).getBytes(StandardCharsets.US_ASCII));
            return answer.get(ANSWERS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException | ExecutionException e) {
            throw new NotReachedException("the session's relay has gone", e);
        } catch (TimeoutException e) {
            throw new NotReachedException("the session does not answer", e);
        } finally {
            questions.remove(number);
        }
    }

    public boolean isOpen() {
        return !closed;
    }

    void forget(int number) {
        connections.remove(number);
    }

    void send(Type type, int channel, byte[] payload) throws IOException {
        send(type, channel, payload, 0, payload.length);
    }

    void send(Type type, int channel, byte[] payload, int offset, int length) throws IOException {
        var frame =
                ByteBuffer.allocate(4 + HEADER + length)
                        .putInt(HEADER + length)
                        .put((byte) type.number)
                        .putInt(channel)
                        .put(payload, offset, length);
        synchronized (out) {
            out.write(frame.array());
            out.flush();
        }
    }

    private void read() {
        try (var in = new DataInputStream(new BufferedInputStream(program.output(), LARGEST))) {
            while (!closed) {
                var length = in.readInt();
                if (length < HEADER || length > HEADER + LARGEST) {
                    throw new IOException("the relay sent a frame of " + length + " bytes");
                }
                var type = Type.of(in.readUnsignedByte());
                var channel = in.readInt();
                var payload = in.readNBytes(length - HEADER);
                if (payload.length < length - HEADER) {
                    throw new EOFException("the relay ended within a frame");
                }
                take(type, channel, payload);
            }
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("cause", e.toString()).log("a relay has ended");
        } finally {
            close();
        }
    }

    private void take(Type type, int channel, byte[] payload) throws IOException {
        if (type == Type.LISTENS_REPLY) {
            var question = questions.get(channel);
            if (question != null) {
                question.complete(payload.length == 1 && payload[0] == '1');
            }
            return;
        }
        var connection = connections.get(channel);
        if (connection == null) {
            return; // it was closed here meanwhile
        }
        switch (type) {
            case OPENED -> connection.opened();
            case FAILED -> connection.failed(new String(payload, StandardCharsets.UTF_8));
            case DATA -> connection.arrived(payload);
            case END -> connection.ended();
            case CLOSE -> connection.gone();
            case CREDIT -> connection.credited(payload);
            case OPEN_TCP, OPEN_UNIX, LISTENS, LISTENS_REPLY, ALIVE -> {}
        }
    }

    private void listenToErrors() {
        try (var error = program.error()) {
            var words = new String(error.readNBytes(4096), StandardCharsets.UTF_8).strip();
            error.skip(Long.MAX_VALUE);
            if (!words.isEmpty()) {
                LOG.atWarn().addKeyValue("said", words).log("a relay complained");
            }
        } catch (IOException _) {
            // it has gone
        }
    }

    private void stayAlive() {
        try {
            while (!closed) {
                Thread.sleep(ALIVE_EVERY);
                send(Type.ALIVE, 0, new byte[0]);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (IOException _) {
            close();
        }
    }

    @Override
    public void close() {
        closed = true;
        connections.values().forEach(RelayConnection::gone);
        questions
                .values()
                .forEach(question ->
                        question.completeExceptionally(
                                new NotReachedException("the session's relay has gone")));
        threads.getLast().interrupt();
        program.close();
    }
}
