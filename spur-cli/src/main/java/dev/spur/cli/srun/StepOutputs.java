package dev.spur.cli.srun;

import dev.spur.api.v1.IoData;
import dev.spur.cli.Memory;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.submission.Remembered;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/// The output of all tasks of a step, and how far each stream has been passed on. What the nodes'
/// threads bring waits until one of them passes it all on: it must not leave for the caller before
/// the word of how far it goes, as the streams of all tasks may share a buffer.
final class StepOutputs {
    /// The streams of a task, by their numbers.
    static final int OUTPUT = 1;

    static final int ERROR = 2;

    private static final byte[] NOTHING = {};

    private final StandardStreams streams;
    private final Memory memory;
    private final boolean byLines;
    private final boolean labelled;
    private final int labelWidth;
    private final Map<Stream, Progress> progress = new HashMap<>();
    private final List<Piece> waiting = new ArrayList<>();

    /// One of a task's streams.
    private record Stream(int rank, int number) {}

    private record Piece(Stream stream, IoData data) {}

    /// @param offset up to which the agent has delivered it
    private record Progress(TaskStream to, long offset) {
        byte[] toBytes() {
            var held = to.held();
            return ByteBuffer.allocate(Long.BYTES + held.length).putLong(offset).put(held).array();
        }
    }

    StepOutputs(StandardStreams streams, Memory memory, Arguments arguments, int tasks) {
        this.streams = streams;
        this.memory = memory;
        this.byLines = !arguments.hasAny(SrunOptions.UNBUFFERED, SrunOptions.PTY);
        this.labelled = arguments.has(SrunOptions.LABEL) && !arguments.has(SrunOptions.PTY);
        this.labelWidth = Integer.toString(Math.max(0, tasks - 1)).length();
    }

    synchronized void accept(int number, IoData data) {
        waiting.add(new Piece(new Stream(data.getTask(), number), data));
    }

    private void write(Piece piece) throws IOException {
        var before = progress(piece.stream());
        var data = piece.data();
        if (!data.getData().isEmpty()) {
            before.to().accept(data.getData().toByteArray());
        }
        if (data.getEof()) {
            before.to().end();
        }
        long end = data.getOffset() + data.getData().size();
        progress.put(piece.stream(), new Progress(before.to(), Math.max(before.offset(), end)));
    }

    private Progress progress(Stream stream) throws IOException {
        var known = progress.get(stream);
        if (known != null) {
            return known;
        }
        var to =
                stream.number() == OUTPUT
                        ? streams.outputOf(stream.rank())
                        : streams.errorOf(stream.rank());
        var kept = memory.recall(Remembered.output(stream.rank(), stream.number())).orElse(NOTHING);
        var begun = kept.length < Long.BYTES ? NOTHING : tail(kept);
        var first =
                new Progress(
                        new TaskStream(to, label(stream.rank()), byLines, begun),
                        kept.length < Long.BYTES ? 0 : ByteBuffer.wrap(kept).getLong());
        progress.put(stream, first);
        return first;
    }

    private static byte[] tail(byte[] kept) {
        return Arrays.copyOfRange(kept, Long.BYTES, kept.length);
    }

    /// Up to where a task's stream has been taken, so that the rest can be asked for.
    synchronized long offset(int rank, int number) throws IOException {
        flush();
        return progress(new Stream(rank, number)).offset();
    }

    /// These tasks write no more, whether they said so or not.
    synchronized void end(Collection<Integer> ranks) throws IOException {
        flush();
        memory.atOnce(() -> {
            for (int rank : ranks) {
                for (int number : new int[] {OUTPUT, ERROR}) {
                    var stream = new Stream(rank, number);
                    var known = progress.get(stream);
                    if (known != null) {
                        known.to().end();
                        keep(stream);
                    }
                }
            }
            streams.flush();
        });
    }

    /// Passes on what has gathered, and with it how far these streams are.
    synchronized void flush() throws IOException {
        if (waiting.isEmpty()) {
            return;
        }
        var pieces = List.copyOf(waiting);
        waiting.clear();
        memory.atOnce(() -> {
            var fresh = new LinkedHashSet<Stream>();
            for (var piece : pieces) {
                write(piece);
                fresh.add(piece.stream());
            }
            streams.flush();
            for (var stream : fresh) {
                keep(stream);
            }
        });
    }

    private void keep(Stream stream) throws IOException {
        memory.keep(Remembered.output(stream.rank(), stream.number()), progress(stream).toBytes());
    }

    private byte[] label(int rank) {
        return labelled
                ? ("%" + labelWidth + "d: ").formatted(rank).getBytes(StandardCharsets.US_ASCII)
                : NOTHING;
    }
}
