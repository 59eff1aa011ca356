package dev.spur.cloud.reach;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.IoData;
import dev.spur.api.v1.StepInput;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/// A program's input on its way to the step. What the program has not read is kept, so that it can
/// be sent again after its agent was restarted; no more than a window of it is on the way.
final class StepInputs extends OutputStream {
    private static final int PIECE = 32 << 10;
    private static final int WINDOW = 256 << 10;

    private final Consumer<StepInput> send;
    private final ArrayDeque<IoData> kept = new ArrayDeque<>();
    private long sent;
    private long taken;
    private boolean ended;
    private boolean over;

    StepInputs(Consumer<StepInput> send) {
        this.send = send;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        for (var at = offset; at < offset + length; ) {
            awaitRoom();
            var count = Math.min(PIECE, offset + length - at);
            var piece =
                    IoData.newBuilder()
                            .setTask(-1)
                            .setOffset(sent)
                            .setData(ByteString.copyFrom(bytes, at, count))
                            .build();
            kept.add(piece);
            sent += count;
            at += count;
            send(piece);
        }
    }

    private void awaitRoom() throws IOException {
        try {
            while (!over && sent - taken >= WINDOW) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (over || ended) {
            throw new IOException("the program reads no more");
        }
    }

    private void send(IoData piece) {
        send.accept(StepInput.newBuilder().setStdin(piece).build());
    }

    /// The program has read so far.
    synchronized void taken(long upTo) {
        taken = Math.max(taken, upTo);
        while (!kept.isEmpty()
                && kept.getFirst().getOffset() + kept.getFirst().getData().size() <= taken) {
            kept.removeFirst();
        }
        notifyAll();
    }

    /// Again, to an agent that may not have it; what the supervisor has it ignores.
    synchronized void repeat() {
        kept.forEach(this::send);
        if (ended) {
            send(end());
        }
    }

    private IoData end() {
        return IoData.newBuilder().setTask(-1).setOffset(sent).setEof(true).build();
    }

    @Override
    public synchronized void close() {
        if (!ended && !over) {
            ended = true;
            send(end());
        }
    }

    /// The program has ended.
    synchronized void over() {
        over = true;
        kept.clear();
        notifyAll();
    }
}
