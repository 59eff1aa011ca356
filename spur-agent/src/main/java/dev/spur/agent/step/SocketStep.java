package dev.spur.agent.step;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A step seen through the connection to its supervisor.
final class SocketStep implements SupervisedStep {
    private static final Logger log = LoggerFactory.getLogger(SocketStep.class);

    static final byte WITH_STATUS = 2;

    /// Longer than the supervisor waits for its own look.
    private static final Duration ANSWER_WITHIN = Duration.ofMillis(2_500);

    private static final byte EVERY_PROCESS = 0;
    private static final byte FIRST_PROCESSES = 1;
    private static final byte NO_PROCESS = 2;

    private final StepDirectory directory;
    private final Path control;
    private final FrameConnection connection;
    private final StepListener listener;
    private final Queue<CompletableFuture<StepStatus>> asking = new ConcurrentLinkedQueue<>();
    private volatile boolean released;
    private volatile boolean silent;

    SocketStep(
            StepDirectory directory,
            Path control,
            FrameConnection connection,
            StepListener listener) {
        this.directory = directory;
        this.control = control;
        this.connection = connection;
        this.listener = listener;
    }

    /// Runs until the supervisor hangs up.
    void listen(String firstStatus) {
        var ended = tell(firstStatus);
        try {
            while (true) {
                var frame = connection.receive();
                if (frame.type() == 's') {
                    ended |= tell(StandardCharsets.UTF_8.decode(frame.payload()).toString());
                } else if (frame.type() == 'u') {
                    answer(StandardCharsets.UTF_8.decode(frame.payload()).toString());
                }
            }
        } catch (IOException e) {
            if (!ended && !released) {
                tellFromDisk();
            }
        } finally {
            connection.close();
            silent = true;
            refuse();
        }
    }

    /// Whoever asked meanwhile is answered, too: it is as new.
    private void answer(String text) {
        var status = StepStatus.parse(text);
        for (var each = asking.poll(); each != null; each = asking.poll()) {
            if (status.isPresent()) {
                each.complete(status.get());
            }
        }
    }

    private void refuse() {
        for (var each = asking.poll(); each != null; each = asking.poll()) {
            each.completeExceptionally(new StepGoneException("the step has ended"));
        }
    }

    private boolean tell(String text) {
        var status = StepStatus.parse(text);
        status.ifPresent(listener::changed);
        return status.map(StepStatus::hasEnded).orElse(false);
    }

    /// The supervisor went without a word to us; perhaps it left one on disk. A status that cannot
    /// be read now is read later: a step that ended well must not be told as lost.
    private void tellFromDisk() {
        var status =
                directory.insist(
                        () -> released ? Optional.<StepStatus>empty() : directory.status());
        if (released) {
            return; // the next agent finds it
        }
        status.filter(StepStatus::hasEnded)
                .ifPresentOrElse(
                        listener::changed, () -> listener.lost("the step supervisor was killed"));
    }

    @Override
    public void signal(int signal, boolean firstProcessesOnly, String why) {
        var text = why.getBytes(StandardCharsets.UTF_8);
        send(
                'K',
                ByteBuffer.allocate(2 + text.length)
                        .put(firstProcessesOnly ? FIRST_PROCESSES : EVERY_PROCESS)
                        .put((byte) signal)
                        .put(text));
    }

    @Override
    public void say(String line) {
        var text = line.getBytes(StandardCharsets.UTF_8);
        send('K', ByteBuffer.allocate(2 + text.length).put(NO_PROCESS).put((byte) 0).put(text));
    }

    @Override
    public void terminate(Duration wait, String why) {
        var text = why.getBytes(StandardCharsets.UTF_8);
        send('Q', ByteBuffer.allocate(Long.BYTES + text.length).putLong(wait.toMillis()).put(text));
    }

    @Override
    public void limitTime(@Nullable Duration remaining) {
        var millis = remaining == null ? -1 : Math.max(0, remaining.toMillis());
        send('T', ByteBuffer.allocate(Long.BYTES).putLong(millis));
    }

    @Override
    public void lease(@Nullable Duration remaining) {
        var millis = remaining == null ? -1 : Math.max(0, remaining.toMillis());
        send('H', ByteBuffer.allocate(Long.BYTES).putLong(millis));
    }

    @Override
    public CompletableFuture<StepStatus> usage() {
        var answer =
                new CompletableFuture<StepStatus>()
                        .orTimeout(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        asking.add(answer);
        send('U', ByteBuffer.allocate(0));
        if (silent) {
            refuse();
        }
        return answer;
    }

    @Override
    public StepAttachment attach(List<StreamPosition> resumeAt, StepAttachment.Receiver receiver)
            throws IOException {
        return attach(resumeAt, false, receiver);
    }

    @Override
    public StepAttachment lookOn(List<StreamPosition> resumeAt, StepAttachment.Receiver receiver)
            throws IOException {
        return attach(resumeAt, true, receiver);
    }

    private StepAttachment attach(
            List<StreamPosition> resumeAt, boolean looksOn, StepAttachment.Receiver receiver)
            throws IOException {
        try {
            return SocketAttachment.open(control, resumeAt, looksOn, receiver);
        } catch (SocketException e) {
            throw nobodyListens(e) ? new StepGoneException(String.valueOf(e.getMessage())) : e;
        }
    }

    /// Its socket is removed in the end, or left by one that was killed.
    private static boolean nobodyListens(SocketException e) {
        return e instanceof ConnectException
                || String.valueOf(e.getMessage()).contains("No such file");
    }

    @Override
    public void dismiss() {
        send('X', ByteBuffer.allocate(0));
    }

    @Override
    public void release() {
        released = true;
        connection.close();
    }

    private void send(char type, ByteBuffer payload) {
        try {
            connection.send(type, payload.array());
        } catch (IOException e) {
            // It has ended, which the listener hears of.
            log.atDebug().addKeyValue("cause", e.toString()).log("request to an ended step");
        }
    }
}
