package dev.spur.accounting.usage;

import dev.spur.accounting.amount.Times;
import java.time.OffsetDateTime;
import java.util.Locale;

/// For which times usage is summed up: all of UTC, so that none is ever 23 or 25 hours long.
enum Span {
    HOUR,
    DAY,
    MONTH;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    OffsetDateTime begin(OffsetDateTime time) {
        return switch (this) {
            case HOUR -> Times.hour(time);
            case DAY -> Times.day(time);
            case MONTH -> Times.month(time);
        };
    }

    OffsetDateTime next(OffsetDateTime begin) {
        return switch (this) {
            case HOUR -> begin.plusHours(1);
            case DAY -> begin.plusDays(1);
            case MONTH -> begin.plusMonths(1);
        };
    }

    /// Of which shorter spans it is the sum.
    Span parts() {
        return switch (this) {
            case HOUR -> throw new IllegalStateException("hours are the sum of jobs");
            case DAY -> HOUR;
            case MONTH -> DAY;
        };
    }
}
