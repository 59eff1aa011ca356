package dev.spur.accounting.usage;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.jspecify.annotations.Nullable;

/// Of what the usage in a window is made up: whole months, days and hours that are summed up, and
/// raw rows for the rest.
///
/// ```
/// window      ├──────────────────────────────────────────────┤
/// pieces      raw│hour hour│day day day│  month  │day│hour raw
/// ```
///
/// @param raw neither summed up nor whole hours, or of which something was learned since
/// @param summed neighbours of the same span are one window
record Pieces(List<Window> raw, Map<Span, List<Window>> summed) {
    /// @param rolledUntil the hours before are summed up, except for `stale`
    static Pieces of(
            Window window,
            @Nullable OffsetDateTime rolledUntil,
            NavigableSet<OffsetDateTime> stale) {
        var pieces = new Pieces(new ArrayList<>(), new EnumMap<>(Span.class));
        var at = window.from();
        while (at.isBefore(window.until())) {
            at = pieces.add(at, window, rolledUntil, stale);
        }
        return pieces;
    }

    private OffsetDateTime add(
            OffsetDateTime at,
            Window window,
            @Nullable OffsetDateTime rolledUntil,
            NavigableSet<OffsetDateTime> stale) {
        for (var span : List.of(Span.MONTH, Span.DAY, Span.HOUR)) {
            var next = span.next(span.begin(at));
            if (span.begin(at).isEqual(at)
                    && rolledUntil != null
                    && !next.isAfter(rolledUntil)
                    && !next.isAfter(window.until())
                    && stale.subSet(at, next).isEmpty()) {
                append(summed.computeIfAbsent(span, _ -> new ArrayList<>()), at, next);
                return next;
            }
        }
        var nextHour = Span.HOUR.next(Span.HOUR.begin(at));
        var end = nextHour.isBefore(window.until()) ? nextHour : window.until();
        append(raw, at, end);
        return end;
    }

    private static void append(List<Window> windows, OffsetDateTime from, OffsetDateTime until) {
        if (!windows.isEmpty() && windows.getLast().until().isEqual(from)) {
            windows.set(windows.size() - 1, new Window(windows.getLast().from(), until));
        } else {
            windows.add(new Window(from, until));
        }
    }
}
