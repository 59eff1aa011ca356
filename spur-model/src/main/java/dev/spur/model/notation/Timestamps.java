package dev.spur.model.notation;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// Points in time as Slurm prints them: `2026-11-15T18:49:27`, local to the caller.
public final class Timestamps {
    private static final DateTimeFormatter STANDARD =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT);

    private Timestamps() {}

    public static String format(Instant instant, ZoneId zone) {
        return STANDARD.format(instant.atZone(zone));
    }
}
