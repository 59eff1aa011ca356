package dev.spur.engine.codec;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/// Reads frames and checks them. A length is not believed before its bytes have come.
final class FrameReader<X extends Exception> {
    private static final int STEP = 1 << 20;

    private final SnapshotCodec.Source<X> source;
    private final CRC32C checksum = new CRC32C();

    FrameReader(SnapshotCodec.Source<X> source) {
        this.source = source;
    }

    /// Gives every part but the end.
    void readAll(Consumer<StatePart> taker) throws X {
        if (!Arrays.equals(checked(Frames.MAGIC.length), Frames.MAGIC)) {
            throw new CodecException("this is no stored state, or one of a newer release's format");
        }
        for (var parts = 0L; parts >= 0; ) {
            parts = readFrame(parts, taker);
        }
    }

    /// Returns the number of parts so far, or -1 after the end.
    private long readFrame(long before, Consumer<StatePart> taker) throws X {
        var frame = checked(number(checked(Integer.BYTES)));
        if (number(next(Integer.BYTES)) != (int) checksum.getValue()) {
            throw new CodecException("the stored state is damaged: a checksum does not match");
        }
        var in = new Input(frame, 0, frame.length, Frames.noTexts());
        var parts = before;
        while (!in.isAtEnd()) {
            var part = Frames.PART.read(in);
            if (part instanceof StatePart.End(var expected)) {
                if (expected != parts || !in.isAtEnd()) {
                    throw new CodecException("the stored state is damaged: parts are missing");
                }
                return -1;
            }
            taker.accept(part);
            parts++;
        }
        return parts;
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
        for (var filled = 0; filled < length; ) {
            if (filled == bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * filled));
            }
            var count = source.read(bytes, filled, bytes.length - filled);
            if (count < 0) {
                throw new CodecException("the stored state ends too early");
            }
            filled += count;
        }
        return bytes;
    }

    private static int number(byte[] bytes) {
        var number = 0;
        for (var next : bytes) {
            number = number << 8 | (next & 0xff);
        }
        return number;
    }
}
