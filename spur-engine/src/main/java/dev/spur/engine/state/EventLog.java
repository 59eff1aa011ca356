package dev.spur.engine.state;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// The latest events in one ring. The writer never waits: a reader that is too slow is told so, and
/// starts again from a snapshot.
public final class EventLog {
    private final AtomicReferenceArray<Numbered> ring;
    private final int mask;
    private long written;
    private volatile long published;

    private record Numbered(long sequence, Event event) {}

    public EventLog(int capacity) {
        var size = Integer.highestOneBit(Math.max(2, capacity) - 1) << 1;
        ring = new AtomicReferenceArray<>(size);
        mask = size - 1;
    }

    /// What was published since a cursor.
    public sealed interface Since {
        /// Events in order.
        ///
        /// @param next the cursor for the following call
        record News(List<Event> events, long next) implements Since {}

        /// Events were overwritten before they were read: take a snapshot, then read on from
        /// `next`.
        record Behind(long next) implements Since {}
    }

    /// The cursor after the latest published event.
    public long end() {
        return published;
    }

    public Since since(long cursor, int atMost) {
        var end = Math.min(published, cursor + atMost);
        var events = new ArrayList<Event>((int) Math.max(0, end - cursor));
        for (var at = cursor; at < end; at++) {
            var entry = ring.get((int) (at & mask));
            if (entry == null || entry.sequence != at) {
                return new Since.Behind(published);
            }
            events.add(entry.event);
        }
        return new Since.News(events, Math.max(cursor, end));
    }

    public void add(Event event) {
        ring.set((int) (written & mask), new Numbered(written, event));
        written++;
    }

    /// The cursor after the latest event, published or not. For the writer.
    public long written() {
        return written;
    }

    public void publish() {
        published = written;
    }
}
