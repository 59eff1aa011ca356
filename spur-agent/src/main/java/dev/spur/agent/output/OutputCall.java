package dev.spur.agent.output;

import com.google.protobuf.ByteString;
import dev.spur.agent.step.FileReader;
import dev.spur.api.v1.OutputPiece;
import dev.spur.api.v1.OutputPosition;
import dev.spur.api.v1.OutputStart;
import dev.spur.api.v1.OutputTurn;
import dev.spur.api.v1.ReadOutputRequest;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/// One reader of one file, on a thread of its own: from where it asked to the end, or on as long as
/// the step runs.
final class OutputCall {
    private static final int NO_SUCH_FILE = 2;
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    /// A reader that takes nothing for so long comes again when it goes on.
    private static final long STALLED_MINUTES = 10;

    /// How far back the last lines are looked for.
    private static final long FARTHEST_BACK = 64L << 20;

    private final ReadOutputRequest request;
    private final FileReader.UserFile wanted;
    private final SharedFiles files;
    private final BooleanSupplier runs;
    private final ServerCallStreamObserver<OutputPiece> responses;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ready = lock.newCondition();
    private volatile boolean cancelled;

    private int version;
    private long identity;
    private long offset;
    private long linesToSkip;
    private long bytesLeft;
    private long linesLeft;
    private OutputTurn turn = OutputTurn.OUTPUT_GOES_ON;

    /// @param runs whether the step that writes may still do so
    OutputCall(
            ReadOutputRequest request,
            FileReader.UserFile wanted,
            SharedFiles files,
            BooleanSupplier runs,
            ServerCallStreamObserver<OutputPiece> responses) {
        this.request = request;
        this.wanted = wanted;
        this.files = files;
        this.runs = runs;
        this.responses = responses;
        this.bytesLeft = request.getMostBytes() == 0 ? Long.MAX_VALUE : request.getMostBytes();
        this.linesLeft = request.getMostLines() == 0 ? Long.MAX_VALUE : request.getMostLines();
    }

    void begin(Runnable whenOver) {
        responses.setOnReadyHandler(this::wake);
        responses.setOnCancelHandler(() -> {
            cancelled = true;
            wake();
        });
        Thread.ofVirtual()
                .name("output-call")
                .start(() -> {
                    try {
                        run();
                    } finally {
                        whenOver.run();
                    }
                });
    }

    private void run() {
        try {
            read();
            if (!cancelled) {
                responses.onCompleted();
            }
        } catch (StatusException e) {
            fail(e);
        } catch (IOException e) {
            fail(
                    Status.UNAVAILABLE
                            .withDescription(
                                    "%s cannot be read: %s"
                                            .formatted(wanted.path(), e.getMessage()))
                            .asException());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            fail(Status.UNAVAILABLE.withDescription("the node's agent stops").asException());
        }
    }

    private void fail(StatusException why) {
        if (!cancelled) {
            responses.onError(why);
        }
    }

    private void read() throws StatusException, IOException, InterruptedException {
        var shared = files.join(wanted).orElse(null);
        if (shared == null) {
            throw Status.UNAVAILABLE
                    .withDescription("too many files are read on this node at the moment")
                    .asException();
        }
        try {
            var state = existing(shared);
            if (cancelled || state.version() == 0) {
                return;
            }
            start(shared, state);
            send(ByteString.EMPTY); // so that the reader knows where it is
            copy(shared, state);
        } finally {
            files.leave(shared);
        }
    }

    /// The file, when there is one: a task that has just started may not have made it yet.
    private FileReader.State existing(SharedFile shared)
            throws StatusException, IOException, InterruptedException {
        var state = shared.first();
        var told = false;
        while (state.version() == 0 && !cancelled) {
            var mayCome = request.getFollow() && state.error() == NO_SUCH_FILE;
            if (!mayCome || !runs.getAsBoolean()) {
                throw Errno.refusal(wanted.path(), state.error());
            }
            if (!told) {
                turn = OutputTurn.OUTPUT_MISSING;
                send(ByteString.EMPTY);
                told = true;
            }
            state = shared.next(state, LOOK_AGAIN);
        }
        return state;
    }

    // ---- where to begin ----

    private void start(SharedFile shared, FileReader.State state)
            throws StatusException, IOException, InterruptedException {
        version = state.version();
        identity = state.identity();
        var from = request.getFrom();
        switch (from.getStartCase()) {
            case POSITION -> resume(shared, state, from.getPosition());
            case OFFSET -> offset = from.getOffset();
            case LAST_BYTES ->
                    offset = Math.max(0, state.size() - Math.max(0, from.getLastBytes()));
            case LAST_LINES -> offset = lastLines(shared, state, from);
            case SKIP_LINES -> linesToSkip = from.getSkipLines();
            case START_NOT_SET -> {}
        }
    }

    /// Goes on where another reading ended, if the file is still there and still as long.
    private void resume(SharedFile shared, FileReader.State state, OutputPosition from) {
        var known = shared.versionOf(from.getFile());
        if (known == 0) {
            turn = OutputTurn.OUTPUT_REPLACED;
            return;
        }
        version = known;
        identity = from.getFile();
        if (known == state.version() && from.getOffset() > state.size()) {
            turn = OutputTurn.OUTPUT_TRUNCATED;
            return;
        }
        offset = from.getOffset();
    }

    private long lastLines(SharedFile shared, FileReader.State state, OutputStart from)
            throws StatusException, IOException, InterruptedException {
        var wantedLines = from.getLastLines();
        var end = state.size();
        if (wantedLines <= 0) {
            return end;
        }
        var nearest = Math.max(0, end - FARTHEST_BACK);
        var seen = 0L;
        for (var upTo = end; upTo > nearest; ) {
            var begin = Math.max(nearest, upTo - SharedFile.BLOCK);
            var data = piece(shared, begin).data();
            var length = (int) Math.min(data.length, upTo - begin);
            for (var at = length - 1; at >= 0; at--) {
                var isLast = begin + at == end - 1; // ends the last line, begins none
                if (data[at] == '\n' && !isLast && ++seen == wantedLines) {
                    return begin + at + 1;
                }
            }
            upTo = begin;
        }
        return nearest;
    }

    // ---- on the way ----

    private void copy(SharedFile shared, FileReader.State first)
            throws StatusException, IOException, InterruptedException {
        var state = first;
        while (!cancelled && bytesLeft > 0 && linesLeft > 0) {
            var mayGrow = runs.getAsBoolean(); // asked before looking: what it wrote is there then
            var piece = piece(shared, offset);
            if (piece.version() != version) { // those between are forgotten
                turnTo(piece.version(), piece.identity(), OutputTurn.OUTPUT_REPLACED);
            } else if (piece.data().length > 0) {
                pass(piece.data());
            } else if (piece.over()) {
                next(shared, piece);
            } else if (!request.getFollow() || (!mayGrow && isNewest(shared, state))) {
                return;
            } else {
                state = shared.next(state, LOOK_AGAIN);
            }
        }
    }

    private boolean isNewest(SharedFile shared, FileReader.State known)
            throws IOException, InterruptedException {
        return shared.next(known, Duration.ZERO).version() == version;
    }

    private FileReader.Piece piece(SharedFile shared, long at)
            throws StatusException, IOException, InterruptedException {
        var piece = shared.read(version, at);
        if (piece.error() != 0) {
            throw Errno.refusal(wanted.path(), piece.error());
        }
        return piece;
    }

    private void next(SharedFile shared, FileReader.Piece last)
            throws IOException, InterruptedException {
        var following = shared.read(version + 1, 0);
        turnTo(
                following.version(),
                following.identity(),
                last.emptied() ? OutputTurn.OUTPUT_TRUNCATED : OutputTurn.OUTPUT_REPLACED);
    }

    private void turnTo(int number, long which, OutputTurn how) {
        version = number;
        identity = which;
        offset = 0;
        turn = how;
    }

    private void pass(byte[] data) throws StatusException, InterruptedException {
        var from = skip(data);
        offset += from;
        var length = count(data, from);
        if (length > 0) {
            send(ByteString.copyFrom(data, from, length));
            offset += length;
        }
    }

    /// How much of it belongs to lines that are not wanted.
    private int skip(byte[] data) {
        var at = 0;
        while (linesToSkip > 0 && at < data.length) {
            if (data[at++] == '\n') {
                linesToSkip--;
            }
        }
        return at;
    }

    /// How much of it is wanted.
    private int count(byte[] data, int from) {
        var most = (int) Math.min(data.length - from, bytesLeft);
        var length = most;
        if (linesLeft != Long.MAX_VALUE) {
            for (var i = 0; i < most; i++) {
                if (data[from + i] == '\n' && --linesLeft == 0) {
                    length = i + 1;
                    break;
                }
            }
        }
        bytesLeft -= bytesLeft == Long.MAX_VALUE ? 0 : length;
        return length;
    }

    // ---- to the reader ----

    private void send(ByteString data) throws StatusException, InterruptedException {
        lock.lock();
        try {
            var left = TimeUnit.MINUTES.toNanos(STALLED_MINUTES);
            while (!responses.isReady() && !cancelled && left > 0) {
                left = ready.awaitNanos(left);
            }
            if (left <= 0) {
                throw Status.UNAVAILABLE
                        .withDescription(
                                "nothing was taken for %d minutes".formatted(STALLED_MINUTES))
                        .asException();
            }
        } finally {
            lock.unlock();
        }
        if (!cancelled) {
            responses.onNext(
                    OutputPiece.newBuilder()
                            .setAt(OutputPosition.newBuilder().setFile(identity).setOffset(offset))
                            .setData(data)
                            .setTurn(turn)
                            .build());
            turn = OutputTurn.OUTPUT_GOES_ON;
        }
    }

    private void wake() {
        lock.lock();
        try {
            ready.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
