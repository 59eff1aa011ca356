package dev.spur.engine.codec;

import java.util.zip.CRC32C;

/// Collects parts until they make a frame.
final class FrameWriter<X extends Exception> {
    /// A frame ends with the part that reaches this.
    private static final int ENOUGH = 256 * 1024;

    private final SnapshotCodec.Sink<X> sink;
    private final CRC32C checksum = new CRC32C();
    private Output frame = new Output(Frames.noTexts());
    private long parts;

    FrameWriter(SnapshotCodec.Sink<X> sink) throws X {
        this.sink = sink;
        send(Frames.MAGIC, Frames.MAGIC.length);
    }

    void write(StatePart part) throws X {
        Frames.PART.write(part, frame);
        parts++;
        if (frame.size() >= ENOUGH) {
            sendFrame();
        }
    }

    void end() throws X {
        Frames.PART.write(new StatePart.End(parts), frame);
        sendFrame();
    }

    private void sendFrame() throws X {
        send(fourBytes(frame.size()), Integer.BYTES);
        send(frame.buffer(), frame.size());
        sink.write(fourBytes((int) checksum.getValue()), 0, Integer.BYTES);
        frame = new Output(Frames.noTexts());
    }

    private void send(byte[] bytes, int length) throws X {
        checksum.update(bytes, 0, length);
        sink.write(bytes, 0, length);
    }

    private static byte[] fourBytes(int number) {
        return new byte[] {
            (byte) (number >>> 24), (byte) (number >>> 16), (byte) (number >>> 8), (byte) number
        };
    }
}
