package dev.spur.accounting.amount;

import dev.spur.api.records.RecordFilter;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Instants as the database and the wire have them.
public final class Times {
    /// What the driver writes as `infinity`: it has not ended.
    public static final OffsetDateTime NEVER = OffsetDateTime.MAX;

    private static final long MICROS = 1_000_000;

    private Times() {}

    public static Instant instant(long micros) {
        return Instant.ofEpochSecond(
                Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1_000);
    }

    public static long micros(Instant instant) {
        return instant.getEpochSecond() * MICROS + instant.getNano() / 1_000;
    }

    public static OffsetDateTime exact(long micros) {
        return instant(micros).atOffset(ZoneOffset.UTC);
    }

    /// A time that somebody asks for.
    public static OffsetDateTime asked(long micros) {
        return exact(RecordFilter.asked(micros));
    }

    /// Whole seconds are what is counted.
    public static OffsetDateTime second(long micros) {
        return exact(micros).truncatedTo(ChronoUnit.SECONDS);
    }

    public static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    /// A column that is never null.
    public static OffsetDateTime of(ResultSet rows, String column) throws SQLException {
        return Objects.requireNonNull(rows.getObject(column, OffsetDateTime.class));
    }

    /// As on the wire, where 0 is none and what has not ended.
    public static long micros(@Nullable OffsetDateTime time) {
        return time == null || time.isEqual(NEVER) ? 0 : micros(time.toInstant());
    }

    public static OffsetDateTime hour(OffsetDateTime time) {
        return time.truncatedTo(ChronoUnit.HOURS);
    }

    public static OffsetDateTime day(OffsetDateTime time) {
        return time.truncatedTo(ChronoUnit.DAYS);
    }

    public static OffsetDateTime month(OffsetDateTime time) {
        return day(time).withDayOfMonth(1);
    }

    public static OffsetDateTime earlier(OffsetDateTime one, OffsetDateTime other) {
        return one.isBefore(other) ? one : other;
    }

    public static OffsetDateTime later(OffsetDateTime one, OffsetDateTime other) {
        return one.isAfter(other) ? one : other;
    }
}
