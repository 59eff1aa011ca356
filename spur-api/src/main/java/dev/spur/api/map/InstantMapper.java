package dev.spur.api.map;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/// Instants travel as microseconds since the epoch; 0 is none.
public final class InstantMapper {
    private InstantMapper() {}

    public static long toMicros(@Nullable Instant instant) {
        return instant == null
                ? 0
                : instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }

    public static @Nullable Instant ofMicros(long micros) {
        return micros == 0 ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
