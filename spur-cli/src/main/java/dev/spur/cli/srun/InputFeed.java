package dev.spur.cli.srun;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.IoData;
import dev.spur.api.v1.StepInput;
import dev.spur.cli.CallerGoneException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/// srun's input on its way to the tasks. Every node gets all of it; what not every node has taken
/// is kept, so that a node whose connection broke can be given it again.
final class InputFeed {
    private static final int PIECE = 32 * 1024;
    private static final long MOST_IN_FLIGHT = 256 * 1024;

    private record Piece(long offset, ByteString data) {}

    private final List<NodeLink> nodes;
    private final long[] taken;
    private final ArrayDeque<Piece> kept = new ArrayDeque<>();
    private final StandardStreams.Input input;
    private final BooleanSupplier isSuspended;
    private long sent;
    private long told;
    private boolean ended;

    /// @param nodes those with tasks that read the input
    /// @param isSuspended whether another door goes on with the input
    InputFeed(List<NodeLink> nodes, StandardStreams.Input input, BooleanSupplier isSuspended) {
        this.nodes = List.copyOf(nodes);
        this.taken = new long[nodes.size()];
        this.input = input;
        this.isSuspended = isSuspended;
        this.sent = input.offset();
        this.told = input.offset();
        Arrays.fill(taken, input.offset());
    }

    /// Copies until the input ends, as fast as the slowest task reads.
    void copy() {
        var from = input.from();
        try {
            var buffer = new byte[PIECE];
            for (int length = from.read(buffer); length >= 0; length = from.read(buffer)) {
                if (length > 0) {
                    send(keep(ByteString.copyFrom(buffer, 0, length)));
                }
            }
            end();
        } catch (IOException | CallerGoneException _) {
            if (!isSuspended.getAsBoolean()) {
                end(); // nobody types any more
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the step has ended
        }
    }

    private synchronized StepInput keep(ByteString data) throws InterruptedException {
        while (sent - slowest() >= MOST_IN_FLIGHT) {
            wait();
        }
        var piece = new Piece(sent, data);
        kept.addLast(piece);
        sent += data.size();
        return message(piece);
    }

    private synchronized void end() {
        ended = true;
        send(end(sent));
    }

    private void send(StepInput message) {
        nodes.forEach(node -> node.send(message));
    }

    /// The tasks of the node have read up to there.
    synchronized void taken(NodeLink node, long upTo) {
        note(node, upTo);
        tell();
    }

    private void note(NodeLink node, long upTo) {
        int position = nodes.indexOf(node);
        if (position < 0) {
            return;
        }
        taken[position] = Math.max(taken[position], upTo);
        while (!kept.isEmpty()
                && kept.getFirst().offset() + kept.getFirst().data().size() <= slowest()) {
            kept.removeFirst();
        }
        notifyAll();
    }

    private void tell() {
        long everywhere = Math.min(slowest(), sent);
        if (everywhere > told) {
            told = everywhere;
            input.taken().accept(everywhere);
        }
    }

    /// The node needs no more input.
    synchronized void done(NodeLink node) {
        note(node, Long.MAX_VALUE);
    }

    /// Gives a node again what it may not have got; the supervisor ignores what it has.
    synchronized void repeat(NodeLink node) {
        if (!nodes.contains(node)) {
            return;
        }
        kept.forEach(piece -> node.send(message(piece)));
        if (ended) {
            node.send(end(sent));
        }
    }

    private long slowest() {
        return Arrays.stream(taken).min().orElse(Long.MAX_VALUE);
    }

    private static StepInput message(Piece piece) {
        return StepInput.newBuilder()
                .setStdin(
                        IoData.newBuilder()
                                .setTask(-1)
                                .setOffset(piece.offset())
                                .setData(piece.data()))
                .build();
    }

    private static StepInput end(long offset) {
        return StepInput.newBuilder()
                .setStdin(IoData.newBuilder().setTask(-1).setOffset(offset).setEof(true))
                .build();
    }
}
