package dev.spur.engine.codec;

import dev.spur.model.notation.Text;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/// Reads frames and checks them. A length is not believed before its bytes have come. Frames are
/// independent, so that workers can decode some of them while the parts of others are taken.
final class FrameReader<X extends Exception> {
    private static final int STEP = 1 << 20;

    /// How many frames may be decoded before their turn.
    private static final int AHEAD = 8;

    private final SnapshotCodec.Source<X> source;
    private final SnapshotCodec.Workers workers;
    private final CRC32C checksum = new CRC32C();
    private final ArrayDeque<Frame> begun = new ArrayDeque<>();

    FrameReader(SnapshotCodec.Source<X> source, SnapshotCodec.Workers workers) {
        this.source = source;
        this.workers = workers;
    }

    /// A frame that is being decoded.
    private static final class Frame {
        private final List<StatePart> parts = new ArrayList<>();
        private final Runnable awaited;

        Frame(byte[] bytes, SnapshotCodec.Workers workers) {
            awaited = workers.begin(() -> decode(bytes));
        }

        private void decode(byte[] bytes) {
            var in = new Input(bytes, 0, bytes.length, Frames.noTexts());
            while (!in.isAtEnd()) {
                parts.add(Frames.PART.read(in));
            }
        }

        List<StatePart> parts() {
            awaited.run();
            return parts;
        }
    }

    /// Gives every part but the end.
    void readAll(Consumer<StatePart> taker) throws X {
        checkFormat(checked(Frames.MAGIC.length));
        var parts = 0L;
        while (true) {
            readAhead();
            if (begun.isEmpty()) {
                throw endsTooEarly();
            }
            var frame = begun.remove().parts();
            var end = frame.isEmpty() ? null : frame.getLast();
            for (var part :
                    end instanceof StatePart.End ? frame.subList(0, frame.size() - 1) : frame) {
                taker.accept(part);
                parts++;
            }
            if (end instanceof StatePart.End(var expected)) {
                if (expected != parts || !begun.isEmpty()) {
                    throw new CodecException("the stored state is damaged: parts are missing");
                }
                return;
            }
        }
    }

    private static void checkFormat(byte[] magic) {
        var last = magic.length - 1;
        if (!Arrays.equals(magic, 0, last, Frames.MAGIC, 0, last)) {
            throw new CodecException("this is no stored state");
        }
        if (magic[last] != Frames.VERSION) {
            throw new CodecException(
                    Text.of(
                            "the state is stored in format %d, this release reads format %d: %s",
                            magic[last],
                            Frames.VERSION,
                            magic[last] < Frames.VERSION
                                    ? "it was written before the first release. Let its jobs end, then begin with an empty state directory"
                                    : "a newer release wrote it"));
        }
    }

    private void readAhead() throws X {
        while (begun.size() < AHEAD) {
            var length = new byte[Integer.BYTES];
            var first = source.read(length, 0, length.length);
            if (first < 0) {
                return;
            }
            fill(length, first);
            checksum.update(length, 0, length.length);
            var frame = checked(number(length));
            if (number(next(Integer.BYTES)) != (int) checksum.getValue()) {
                throw new CodecException("the stored state is damaged: a checksum does not match");
            }
            begun.add(new Frame(frame, workers));
        }
    }

    private byte[] checked(int length) throws X {
        var bytes = next(length);
        checksum.update(bytes, 0, length);
        return bytes;
    }

    private byte[] next(int length) throws X {
        if (length < 0) {
            throw new CodecException("the stored state is damaged: a frame of impossible length");
        }
        var bytes = new byte[Math.min(length, STEP)];
        fill(bytes, 0);
        while (bytes.length < length) {
            var filled = bytes.length;
            bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * filled));
            fill(bytes, filled);
        }
        return bytes;
    }

    private void fill(byte[] bytes, int from) throws X {
        for (var filled = from; filled < bytes.length; ) {
            var count = source.read(bytes, filled, bytes.length - filled);
            if (count < 0) {
                throw endsTooEarly();
            }
            filled += count;
        }
    }

    private static CodecException endsTooEarly() {
        return new CodecException("the stored state ends too early");
    }

    private static int number(byte[] bytes) {
        var number = 0;
        for (var next : bytes) {
            number = number << 8 | (next & 0xff);
        }
        return number;
    }
}
