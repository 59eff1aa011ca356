package dev.spur.model.notation;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/// Finds the known name that somebody probably meant: "Did you mean ...?".
public final class NearestName {
    private NearestName() {}

    /// The nearest of the known names if it is near enough to be a slip of the finger, counting
    /// inserted, dropped, changed and swapped letters; upper and lower case and `-` and `_` are the
    /// same, and the last part of a name is easily forgotten (`interval` for `interval_secs`). The
    /// first one wins among equals.
    public static Optional<String> suggest(String name, Collection<String> known) {
        var wanted = folded(name);
        String nearest = null;
        var least = Math.max(1, wanted.length() / 3) + 1;
        for (var candidate : known) {
            var distance = distanceOrWithoutEnd(wanted, folded(candidate));
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return Optional.ofNullable(nearest);
    }

    private static String folded(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static int distanceOrWithoutEnd(String wanted, String candidate) {
        var whole = distance(wanted, candidate);
        var end = candidate.lastIndexOf('-');
        return end > 0 ? Math.min(whole, 1 + distance(wanted, candidate.substring(0, end))) : whole;
    }

    /// Optimal string alignment, row by row.
    private static int distance(String a, String b) {
        var beforeLast = new int[b.length() + 1];
        var last = new int[b.length() + 1];
        for (var j = 0; j <= b.length(); j++) {
            last[j] = j;
        }
        for (var i = 1; i <= a.length(); i++) {
            var row = new int[b.length() + 1];
            row[0] = i;
            for (var j = 1; j <= b.length(); j++) {
                var changed = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(changed, Math.min(last[j], row[j - 1]) + 1);
                var swapped =
                        i > 1
                                && j > 1
                                && a.charAt(i - 1) == b.charAt(j - 2)
                                && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
            beforeLast = last;
            last = row;
        }
        return last[b.length()];
    }
}
