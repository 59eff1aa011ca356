package dev.spur.controller.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks at the log before it is used, and tells a torn tail from damage.
///
/// A segment is `RaftLog1`, then entries: varint length, bytes, CRC-32C of both; then zeros up to
/// its allocated size. A crash in the middle of a write leaves a broken last entry in the open
/// segment. It was never acknowledged, so it is cut off (and kept beside, for the curious). A
/// broken entry with a good one behind it, or one in a closed segment, or a gap between segments,
/// is damage: acknowledged commands may be gone, and we refuse.
final class LogInspection {
    private static final Logger LOG = LoggerFactory.getLogger(LogInspection.class);
    private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
    private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");
    private static final byte[] HEADER = {'R', 'a', 'f', 't', 'L', 'o', 'g', '1'};

    private LogInspection() {}

    private record Segment(Path file, long first, long last, boolean open) {}

    /// @param current Ratis' directory with the segments
    /// @param snapshot index of the newest snapshot, -1 if none
    static void inspect(Path current, long snapshot) throws IOException {
        if (!Files.isDirectory(current)) {
            return;
        }
        var expected = -1L;
        for (var segment : segments(current)) {
            if (expected >= 0 && segment.first() != expected) {
                throw new DamagedLogException(
                        segment.file(),
                        "it begins with entry %d, but the one before ends with %d"
                                .formatted(segment.first(), expected - 1));
            }
            if (expected < 0 && segment.first() > snapshot + 1) {
                throw new DamagedLogException(
                        segment.file(),
                        snapshot < 0
                                ? "entries 0 to %d and the snapshot that replaces them are missing"
                                        .formatted(segment.first() - 1)
                                : "entries %d to %d are missing after the snapshot"
                                        .formatted(snapshot + 1, segment.first() - 1));
            }
            var entries = check(segment);
            expected = segment.first() + entries;
            if (!segment.open() && expected != segment.last() + 1) {
                throw new DamagedLogException(
                        segment.file(),
                        "it should end with entry %d and ends with %d"
                                .formatted(segment.last(), expected - 1));
            }
        }
    }

    private static List<Segment> segments(Path current) throws IOException {
        var segments = new ArrayList<Segment>();
        try (var files = Files.list(current)) {
            for (var file : files.toList()) {
                var name = file.getFileName().toString();
                var closed = CLOSED.matcher(name);
                var open = OPEN.matcher(name);
                if (closed.matches()) {
                    segments.add(
                            new Segment(
                                    file,
                                    Long.parseLong(closed.group(1)),
                                    Long.parseLong(closed.group(2)),
                                    false));
                } else if (open.matches()) {
                    segments.add(
                            new Segment(file, Long.parseLong(open.group(1)), Long.MAX_VALUE, true));
                }
            }
        }
        segments.sort(Comparator.comparingLong(Segment::first));
        return segments;
    }

    /// How many good entries the segment has.
    private static long check(Segment segment) throws IOException {
        try (var channel =
                FileChannel.open(
                        segment.file(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var size = channel.size();
            var bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, size);
            if (!headerMatches(bytes)) {
                if (segment.open() && isZeroFrom(bytes, 0)) {
                    return 0; // allocated, never written
                }
                throw new DamagedLogException(
                        segment.file(), "its first bytes are not those of a log");
            }
            long entries = 0;
            var at = HEADER.length;
            while (at < size && bytes.get(at) != 0) {
                var next = entryEnd(bytes, at);
                if (next < 0) {
                    recoverTail(segment, channel, bytes, at, entries);
                    return entries;
                }
                at = next;
                entries++;
            }
            if (!isZeroFrom(bytes, at)) {
                recoverTail(segment, channel, bytes, at, entries);
            }
            return entries;
        }
    }

    private static void recoverTail(
            Segment segment, FileChannel channel, MappedByteBuffer bytes, int at, long entries)
            throws IOException {
        var index = segment.first() + entries;
        if (!segment.open()) {
            throw new DamagedLogException(
                    segment.file(),
                    "entry %d at byte %d does not match its checksum".formatted(index, at));
        }
        for (var later = at + 1; later < bytes.limit(); later++) {
            if (looksLikeEntry(bytes, later) && entryEnd(bytes, later) > 0) {
                throw new DamagedLogException(
                        segment.file(),
                        "entry %d at byte %d does not match its checksum, and good entries follow it"
                                .formatted(index, at));
            }
        }
        var kept =
                segment.file()
                        .resolveSibling(
                                "torn-tail-%s-at-%d".formatted(segment.file().getFileName(), at));
        var tail = bytes.slice(at, endOfData(bytes, at) - at);
        try (var copy =
                FileChannel.open(
                        kept,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            while (tail.hasRemaining()) {
                copy.write(tail);
            }
        }
        channel.truncate(at);
        channel.force(true);
        LOG.atWarn()
                .addKeyValue("file", segment.file())
                .addKeyValue("entry", index)
                .addKeyValue("kept", kept)
                .log("cut off a torn entry that was never acknowledged");
    }

    private static boolean headerMatches(ByteBuffer bytes) {
        if (bytes.limit() < HEADER.length) {
            return false;
        }
        for (var i = 0; i < HEADER.length; i++) {
            if (bytes.get(i) != HEADER[i]) {
                return false;
            }
        }
        return true;
    }

    /// An entry's message begins with its term (field 1) and index (field 2), both varints.
    private static boolean looksLikeEntry(ByteBuffer bytes, int at) {
        var message = afterVarint(bytes, at);
        return message > 0
                && message < bytes.limit()
                && bytes.get(at) != 0
                && bytes.get(message) == 0x08;
    }

    /// Where the entry at `at` ends if it is whole and matches its checksum, else -1.
    private static int entryEnd(ByteBuffer bytes, int at) {
        var message = afterVarint(bytes, at);
        if (message < 0) {
            return -1;
        }
        long length = 0;
        for (var i = at; i < message; i++) {
            length |= (long) (bytes.get(i) & 0x7f) << (7 * (i - at));
        }
        var end = message + length;
        if (length == 0 || end + Integer.BYTES > bytes.limit()) {
            return -1;
        }
        var crc = new CRC32C();
        crc.update(bytes.slice(at, (int) end - at));
        return (int) crc.getValue() == bytes.getInt((int) end) ? (int) end + Integer.BYTES : -1;
    }

    private static int afterVarint(ByteBuffer bytes, int at) {
        for (var i = at; i < Math.min(at + 5, bytes.limit()); i++) {
            if (bytes.get(i) >= 0) {
                return i + 1;
            }
        }
        return -1;
    }

    private static boolean isZeroFrom(ByteBuffer bytes, int at) {
        return endOfData(bytes, at) == at;
    }

    private static int endOfData(ByteBuffer bytes, int from) {
        var end = bytes.limit();
        while (end - Long.BYTES >= from && bytes.getLong(end - Long.BYTES) == 0) {
            end -= Long.BYTES;
        }
        while (end > from && bytes.get(end - 1) == 0) {
            end--;
        }
        return end;
    }
}
