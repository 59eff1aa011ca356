package dev.spur.controller.accounting;

import dev.spur.engine.state.RecordNumber;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/// One file of the [Spool]: a header that says which record comes before its first, then the
/// records: length, checksum, number, bytes.
///
/// Whatever others read is volatile and set when it is on file: `end` last.
final class SpoolSegment {
    static final Pattern NAME = Pattern.compile("records-([0-9]{8})\\.spool");

    private static final long MAGIC = 0x5350_5552_5245_4331L; // SPURREC1
    static final int HEADER = Long.BYTES + Long.BYTES + Integer.BYTES + Integer.BYTES;
    static final int FRAME = Integer.BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES;

    /// More than any record has: another length is damage.
    static final int MOST_BYTES = 64 << 20;

    final int number;
    final Path file;

    /// The last record before this file: nothing is missing in between.
    final RecordNumber after;

    volatile RecordNumber last;
    volatile long records;
    volatile long end = HEADER;

    SpoolSegment(int number, Path file, RecordNumber after) {
        this.number = number;
        this.file = file;
        this.after = after;
        this.last = after;
    }

    static int numberOf(Path file) {
        var name = NAME.matcher(String.valueOf(file.getFileName()));
        return name.matches() ? Integer.parseInt(name.group(1)) : -1;
    }

    boolean isEmpty() {
        return end == HEADER;
    }

    long bytes() {
        return end - HEADER;
    }

    static ByteBuffer header(RecordNumber after) {
        var header = ByteBuffer.allocate(HEADER);
        header.putLong(MAGIC).putLong(after.entry()).putInt(after.ordinal());
        return header.putInt(checksum(header.array(), HEADER - Integer.BYTES)).flip();
    }

    /// The record before the file; null if this is no header.
    static @org.jspecify.annotations.Nullable RecordNumber after(ByteBuffer header) {
        if (header.remaining() < HEADER || header.getLong() != MAGIC) {
            return null;
        }
        var after = new RecordNumber(header.getLong(), header.getInt());
        return header.getInt() == checksum(header.array(), HEADER - Integer.BYTES) ? after : null;
    }

    private static int checksum(byte[] bytes, int length) {
        var sum = new CRC32C();
        sum.update(bytes, 0, length);
        return (int) sum.getValue();
    }

    static void put(ByteBuffer out, RecordNumber number, byte[] bytes) {
        var from = out.position();
        out.putInt(bytes.length).putInt(0).putLong(number.entry()).putInt(number.ordinal());
        out.put(bytes);
        out.putInt(from + Integer.BYTES, checksum(out, from, bytes.length));
    }

    /// Of a frame that begins at `from`: of its number and its bytes.
    static int checksum(ByteBuffer frames, int from, int length) {
        var sum = new CRC32C();
        var what = frames.duplicate();
        what.limit(from + FRAME + length).position(from + Integer.BYTES + Integer.BYTES);
        sum.update(what);
        return (int) sum.getValue();
    }
}
