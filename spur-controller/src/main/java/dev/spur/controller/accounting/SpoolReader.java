package dev.spur.controller.accounting;

import dev.spur.engine.state.RecordNumber;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the spool for one follower, from the files and with channels of its own: it holds up
/// nobody, whatever becomes of the files meanwhile. For one thread at a time.
public final class SpoolReader implements AutoCloseable {
    private static final int MOST_TRIES = 5;

    private final Spool spool;
    private RecordNumber seen;
    private @Nullable SpoolSegment segment;
    private @Nullable FileChannel file;
    private @Nullable SpoolFrames frames;
    private long read; // records of the segment

    /// Some records in order.
    ///
    /// @param gap what was before the first of them is here no more
    /// @param waiting how many are behind them
    public record Batch(List<byte[]> records, RecordNumber last, boolean gap, long waiting) {}

    public SpoolReader(Spool spool, RecordNumber seen) {
        this.spool = spool;
        this.seen = seen;
    }

    /// The next ones: at least one if there is any, and not many more bytes than that.
    public Batch next(int bytes) throws IOException {
        for (var tries = 1; ; tries++) {
            try {
                return read(bytes);
            } catch (NoSuchFileException e) {
                if (tries == MOST_TRIES) {
                    throw e;
                }
                close(); // forgotten meanwhile: what follows it is in another
            }
        }
    }

    private Batch read(int bytes) throws IOException {
        var records = new ArrayList<byte[]>();
        var gap = false;
        var size = 0L;
        while (size < bytes) {
            var at = segment;
            var from = frames;
            if (at == null || from == null) {
                var begin = spool.begin();
                if (begin.isAfter(seen)) {
                    gap = true;
                    seen = begin;
                }
                if (!open()) {
                    break;
                }
                continue;
            }
            var end = at.end;
            var frame = from.next(end);
            if (frame != null) {
                read++;
                if (frame.number().isAfter(seen)) {
                    seen = frame.number();
                    records.add(frame.bytes());
                    size += frame.bytes().length;
                }
            } else if (from.position() < end) {
                throw new DamagedSpoolException(
                        at.file, "the record at byte %d cannot be read".formatted(from.position()));
            } else if (isLast(at)) {
                break;
            } else if (from.position() == at.end) { // it has grown until it was not the last
                close();
            }
        }
        return new Batch(records, seen, gap, waiting());
    }

    private boolean isLast(SpoolSegment at) {
        var known = spool.segments();
        return !known.isEmpty() && known.getLast() == at;
    }

    /// The file in which the next record is, or will be.
    private boolean open() throws IOException {
        SpoolSegment found = null;
        for (var candidate : spool.segments()) {
            if (!candidate.after.isAfter(seen)) {
                found = candidate;
            }
        }
        if (found == null) {
            return false;
        }
        var channel = FileChannel.open(found.file, StandardOpenOption.READ);
        segment = found;
        file = channel;
        frames = new SpoolFrames(channel);
        read = 0;
        return true;
    }

    private long waiting() {
        var at = segment;
        var sum = 0L;
        for (var other : spool.segments()) {
            if (at == null || other.number >= at.number) {
                sum += other.records;
            }
        }
        return Math.max(0, sum - read);
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
        segment = null;
        file = null;
        frames = null;
    }
}
