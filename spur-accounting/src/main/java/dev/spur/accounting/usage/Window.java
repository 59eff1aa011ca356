package dev.spur.accounting.usage;

import java.time.OffsetDateTime;

/// A time from and until, the latter exclusive.
record Window(OffsetDateTime from, OffsetDateTime until) {
    boolean isEmpty() {
        return !from.isBefore(until);
    }

    boolean contains(OffsetDateTime time) {
        return !time.isBefore(from) && time.isBefore(until);
    }
}
