package dev.spur.engine.state;

import java.util.Comparator;

/// Which event: its place among those of a log entry. The same on every controller and after every
/// restart, so it also says how far somebody has read: everything up to this one.
///
/// @param entry index in the log
/// @param ordinal from 1; 0 is before the first event of the entry
public record EventNumber(long entry, int ordinal) implements Comparable<EventNumber> {
    /// Before everything.
    public static final EventNumber NONE = new EventNumber(0, 0);

    private static final Comparator<EventNumber> ORDER =
            Comparator.comparingLong(EventNumber::entry).thenComparingInt(EventNumber::ordinal);

    @Override
    public int compareTo(EventNumber other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return entry + "." + ordinal;
    }
}
