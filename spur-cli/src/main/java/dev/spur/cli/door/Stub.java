package dev.spur.cli.door;

import dev.spur.cli.CallerGoneException;
import dev.spur.cli.ProcessSignal;
import dev.spur.cli.Terminal;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/// The caller's process while its command runs. One thread receives and hands on: data to its
/// stream, answers to whoever asked, signals to the listener.
final class Stub {
    private static final int FIRST_FREE_STREAM = 16;
    private static final int STANDARD_INPUT = 0;
    private static final int INPUT_WINDOW = 65_536;

    private final FrameReader reader;
    private final FrameWriter writer;
    private final ConcurrentMap<Integer, Outgoing> outgoing = new ConcurrentHashMap<>();
    private final ConcurrentMap<Integer, Incoming> incoming = new ConcurrentHashMap<>();
    private final ConcurrentMap<Question, CompletableFuture<ByteBuffer>> questions =
            new ConcurrentHashMap<>();
    private final AtomicInteger streams = new AtomicInteger(FIRST_FREE_STREAM);
    private final StubSignals signals;
    private final Incoming standardInput;
    private volatile Terminal.Size size;
    private volatile boolean gone;

    private record Question(int answerType, int stream) {}

    Stub(FrameReader reader, FrameWriter writer, Terminal.Size size) {
        this.reader = reader;
        this.writer = writer;
        this.size = size;
        this.signals = new StubSignals(writer);
        this.standardInput = new Incoming(STANDARD_INPUT, writer, INPUT_WINDOW, 0, () -> {});
        incoming.put(STANDARD_INPUT, standardInput);
    }

    FrameWriter writer() {
        return writer;
    }

    StubSignals signals() {
        return signals;
    }

    Terminal.Size size() {
        return size;
    }

    boolean isGone() {
        return gone;
    }

    int newStream() {
        return streams.getAndIncrement();
    }

    Incoming standardInput() {
        return standardInput;
    }

    Outgoing outgoing(int id) {
        var stream = outgoing.computeIfAbsent(id, _ -> new Outgoing(id, writer));
        if (gone) {
            stream.callerGone();
        }
        return stream;
    }

    Incoming incoming(int id, int window, Runnable onClose) {
        var stream = new Incoming(id, writer, window, window, onClose);
        incoming.put(id, stream);
        if (gone) {
            stream.callerGone();
        }
        return stream;
    }

    void forget(int id) {
        outgoing.remove(id);
        incoming.remove(id);
    }

    /// Expects an answer. Call before asking, so that it cannot come too early.
    CompletableFuture<ByteBuffer> expect(int answerType, int stream) {
        var answer = new CompletableFuture<ByteBuffer>();
        questions.put(new Question(answerType, stream), answer);
        if (gone) {
            answer.completeExceptionally(new CallerGoneException("the caller has gone"));
        }
        return answer;
    }

    static ByteBuffer await(CompletableFuture<ByteBuffer> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw new CallerGoneException("the caller has gone");
        }
    }

    /// Receives until the stub ends or breaks the rules; then everybody who waits for it is told.
    void receive() throws IOException, InterruptedException {
        try {
            while (reader.next()) {
                receiveOne();
            }
        } catch (BufferUnderflowException e) {
            throw new ProtocolException("a short frame");
        } finally {
            callerGone();
        }
    }

    private void receiveOne() throws ProtocolException {
        int id = reader.stream();
        switch (reader.type()) {
            case Frame.DATA -> {
                var stream = incoming.get(id);
                if (stream != null) { // else closed meanwhile
                    stream.received(reader.payload());
                }
            }
            case Frame.CREDIT -> {
                var stream = outgoing.get(id);
                if (stream != null) {
                    stream.confirmed(reader.payload().getInt());
                }
            }
            case Frame.SIGNAL -> {
                var payload = reader.payload();
                var signal = ProcessSignal.of(payload.get());
                size =
                        new Terminal.Size(
                                Short.toUnsignedInt(payload.getShort()),
                                Short.toUnsignedInt(payload.getShort()));
                signal.ifPresent(signals::received);
            }
            case Frame.OPENED, Frame.CLOSED, Frame.CHILD_STARTED, Frame.CHILD_ENDED -> {
                var asked = questions.remove(new Question(reader.type(), id));
                if (asked != null) {
                    asked.complete(ByteBuffer.wrap(reader.copy()));
                }
            }
            default -> throw new ProtocolException("a frame of type " + reader.type());
        }
    }

    /// Nobody is at the other end any more: wakes all who wait for it.
    void callerGone() {
        gone = true;
        outgoing.values().forEach(Outgoing::callerGone);
        incoming.values().forEach(Incoming::callerGone);
        questions
                .values()
                .forEach(answer ->
                        answer.completeExceptionally(
                                new CallerGoneException("the caller has gone")));
        signals.stop();
    }

    /// Nanoseconds that the command has waited for its caller.
    long waitedForCaller() {
        return writer.callersTime().nanos();
    }
}
