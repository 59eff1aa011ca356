package dev.spur.accounting.cluster;

import dev.spur.api.v1.Record;

/// How far the records of a cluster are stored: the entry of the controllers' log, and the place in
/// it.
public record Position(long entry, long ordinal) implements Comparable<Position> {
    public static final Position START = new Position(0, 0);

    public static Position of(Record record) {
        return new Position(record.getEntry(), Integer.toUnsignedLong(record.getOrdinal()));
    }

    @Override
    public int compareTo(Position other) {
        var byEntry = Long.compareUnsigned(entry, other.entry);
        return byEntry != 0 ? byEntry : Long.compare(ordinal, other.ordinal);
    }
}
