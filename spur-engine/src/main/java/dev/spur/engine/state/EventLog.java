package dev.spur.engine.state;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// The latest events in one ring. Each reader keeps the number of the last event it has seen and
/// asks for those that follow, whenever it likes. The writer never waits: a reader that is too slow
/// is told so, and goes on from a snapshot.
public final class EventLog {
    private final AtomicReferenceArray<NumberedEvent> ring;
    private final int mask;
    private final EventNumber begin;

    /// The writer's.
    private EventNumber last;

    private long written;

    /// Counts what was written or is just being written: a place that this has reached again holds
    /// another event, or will at once.
    private volatile long claimed;

    private volatile long published;

    /// @param begin the last event that is not in it
    public EventLog(int capacity, EventNumber begin) {
        var size = Integer.highestOneBit(Math.max(2, capacity) - 1) << 1;
        ring = new AtomicReferenceArray<>(size);
        mask = size - 1;
        this.begin = begin;
        last = begin;
    }

    /// What was published after some event.
    public sealed interface Since {
        /// Events in order; empty if there are none yet, also if another controller, which is ahead
        /// of this one, told the reader of later ones.
        record News(List<NumberedEvent> events) implements Since {}

        /// Some are here no more: take a snapshot and go on from [Snapshot#lastEvent].
        record Behind() implements Since {}
    }

    public Since since(EventNumber seen, int atMost) {
        var end = published;
        var from = firstAfter(seen, oldest(), end);
        var until = Math.min(end, from + atMost);
        var events = new ArrayList<NumberedEvent>((int) Math.max(0, until - from));
        for (var at = from; at < until; at++) {
            events.add(ring.get((int) (at & mask)));
        }
        // Asked last: what was overwritten while it was read counts as missed.
        var oldest = oldest();
        var isBehind = oldest == 0 ? seen.compareTo(begin) < 0 : from <= oldest && from < end;
        return isBehind ? new Since.Behind() : new Since.News(events);
    }

    /// The first place that no writing has reached again.
    private long oldest() {
        return Math.max(0, claimed - ring.length());
    }

    private long firstAfter(EventNumber seen, long oldest, long end) {
        var low = oldest;
        var high = end;
        while (low < high) {
            var middle = (low + high) >>> 1;
            if (ring.get((int) (middle & mask)).isAfter(seen)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /// The event gets the next number of the entry.
    public NumberedEvent add(long entry, Event event) {
        if (entry < last.entry()) {
            throw new IllegalArgumentException(
                    "entry " + entry + " comes after entry " + last.entry());
        }
        var ordinal = entry == last.entry() ? last.ordinal() + 1 : 1;
        var numbered = new NumberedEvent(entry, ordinal, event);
        claimed = written + 1;
        ring.set((int) (written & mask), numbered);
        written++;
        last = numbered.number();
        return numbered;
    }

    /// The latest event, published or not. For the writer.
    public EventNumber last() {
        return last;
    }

    public void publish() {
        published = written;
    }
}
