package dev.spur.controller.accounting;

import dev.spur.engine.state.RecordNumber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/// Reads the records of one file of the spool, one after the other, a piece of the file at a time.
final class SpoolFrames {
    private static final int PIECE = 256 << 10;

    private final FileChannel file;
    private ByteBuffer piece = ByteBuffer.allocate(PIECE).limit(0);
    private long next = SpoolSegment.HEADER; // behind what is in `piece`

    /// A record as it is on file.
    record Frame(RecordNumber number, byte[] bytes) {}

    SpoolFrames(FileChannel file) {
        this.file = file;
    }

    /// Where the next record begins.
    long position() {
        return next - piece.remaining();
    }

    /// The next record; null if there is no whole and right one before `end`.
    @Nullable Frame next(long end) throws IOException {
        if (!has(SpoolSegment.FRAME, end)) {
            return null;
        }
        var length = piece.getInt(piece.position());
        if (length <= 0
                || length > SpoolSegment.MOST_BYTES
                || !has(SpoolSegment.FRAME + length, end)) {
            return null;
        }
        var from = piece.position();
        if (piece.getInt(from + Integer.BYTES) != SpoolSegment.checksum(piece, from, length)) {
            return null;
        }
        piece.position(from + Integer.BYTES + Integer.BYTES);
        var number = new RecordNumber(piece.getLong(), piece.getInt());
        var bytes = new byte[length];
        piece.get(bytes);
        return new Frame(number, bytes);
    }

    private boolean has(int bytes, long end) throws IOException {
        if (piece.remaining() >= bytes) {
            return true;
        }
        if (position() + bytes > end) {
            return false;
        }
        fill(bytes, end);
        return piece.remaining() >= bytes;
    }

    private void fill(int bytes, long end) throws IOException {
        var from = position();
        var larger = ByteBuffer.allocate(Math.max(PIECE, bytes));
        larger.limit((int) Math.min(larger.capacity(), end - from));
        while (larger.hasRemaining()) {
            if (file.read(larger, from + larger.position()) < 0) {
                break;
            }
        }
        piece = larger.flip();
        next = from + piece.limit();
    }
}
