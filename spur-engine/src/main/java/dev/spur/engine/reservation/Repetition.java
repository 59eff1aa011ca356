package dev.spur.engine.reservation;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

/// When a reservation comes again: at the same time of the day in the zone in which it was made, so
/// that a nightly one stays nightly when the clocks change.
public enum Repetition {
    HOURLY,
    DAILY,
    WEEKDAY,
    WEEKEND,
    WEEKLY;

    /// The shortest time from one to the next; longer ones would run into themselves.
    public Duration shortestPause() {
        return switch (this) {
            case HOURLY -> Duration.ofHours(1);
            case DAILY, WEEKDAY, WEEKEND -> Duration.ofHours(23);
            case WEEKLY -> Duration.ofHours(7 * 24 - 1);
        };
    }

    /// The next one, just as long.
    Period after(Period period, String zone) {
        var start = next(period.start().atZone(zone(zone))).toInstant();
        return new Period(start, start.plus(period.duration()));
    }

    private ZonedDateTime next(ZonedDateTime start) {
        return switch (this) {
            case HOURLY -> start.plusHours(1);
            case DAILY -> start.plusDays(1);
            case WEEKLY -> start.plusWeeks(1);
            case WEEKDAY -> nextDay(start, false);
            case WEEKEND -> nextDay(start, true);
        };
    }

    private static ZonedDateTime nextDay(ZonedDateTime start, boolean ofWeekend) {
        var next = start.plusDays(1);
        while (isWeekend(next) != ofWeekend) {
            next = next.plusDays(1);
        }
        return next;
    }

    private static boolean isWeekend(ZonedDateTime day) {
        return day.getDayOfWeek() == DayOfWeek.SATURDAY || day.getDayOfWeek() == DayOfWeek.SUNDAY;
    }

    /// A zone that nobody knows any more is as good as none.
    private static ZoneId zone(String name) {
        try {
            return name.isEmpty() ? ZoneOffset.UTC : ZoneId.of(name);
        } catch (DateTimeException _) {
            return ZoneOffset.UTC;
        }
    }
}
