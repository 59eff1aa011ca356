package dev.spur.accounting.archive;

import dev.spur.runtime.config.KeptFor;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// How long each kind of record is kept; a kind without an entry for ever.
public record Retention(Map<Kind, KeptFor> kept) {
    /// What is kept, by the words of `[accounting] purge_…_after`.
    public enum Kind {
        EVENT,
        JOB,
        RESV,
        STEP,
        TXN,
        USAGE;

        public static Optional<Kind> of(String word) {
            return Arrays.stream(values())
                    .filter(kind -> kind.name().equals(word.toUpperCase(Locale.ROOT)))
                    .findFirst();
        }
    }

    public static final Retention FOR_EVER = new Retention(Map.of());

    public Retention {
        kept = Map.copyOf(kept);
    }

    Optional<OffsetDateTime> before(Kind kind, OffsetDateTime now) {
        return Optional.ofNullable(kept.get(kind))
                .filter(each -> !each.isForEver())
                .map(each -> each.before(now));
    }
}
