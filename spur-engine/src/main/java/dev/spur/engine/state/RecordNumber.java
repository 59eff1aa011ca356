package dev.spur.engine.state;

import java.util.Comparator;

/// Which accounting record: its place among those of a log entry. The same on every controller, so
/// it also says how far a database has come: everything up to this one.
///
/// @param ordinal from 1; 0 is before the first record of the entry
public record RecordNumber(long entry, int ordinal) implements Comparable<RecordNumber> {
    /// Before everything.
    public static final RecordNumber NONE = new RecordNumber(0, 0);

    private static final Comparator<RecordNumber> ORDER =
            Comparator.comparingLong(RecordNumber::entry).thenComparingInt(RecordNumber::ordinal);

    @Override
    public int compareTo(RecordNumber other) {
        return ORDER.compare(this, other);
    }

    public boolean isAfter(RecordNumber other) {
        return compareTo(other) > 0;
    }

    @Override
    public String toString() {
        return entry + "." + ordinal;
    }
}
