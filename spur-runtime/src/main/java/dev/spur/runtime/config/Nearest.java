package dev.spur.runtime.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/// What a person who wrote `word` most likely meant.
public final class Nearest {
    private Nearest() {}

    /// The known word with the fewest differing letters, if it is near enough to be a likely slip.
    /// A word that only lacks its end (`interval` for `interval_secs`) counts as near.
    public static Optional<String> to(String word, Collection<String> known) {
        return known.stream()
                .filter(candidate -> distance(word, candidate) <= tolerance(word, candidate))
                .min(
                        Comparator.comparingInt((String candidate) -> distance(word, candidate))
                                .thenComparing(Comparator.naturalOrder()));
    }

    private static int tolerance(String word, String candidate) {
        return Math.max(2, Math.min(word.length(), candidate.length()) / 3);
    }

    /// Edit distance, cheapened for a missing last part: `_secs`, `_addr` and the like are easily
    /// forgotten.
    static int distance(String word, String candidate) {
        var a = word.toLowerCase(Locale.ROOT);
        var b = candidate.toLowerCase(Locale.ROOT);
        int whole = edits(a, b);
        int cut = b.lastIndexOf('_');
        return cut > 0 ? Math.min(whole, 1 + edits(a, b.substring(0, cut))) : whole;
    }

    private static int edits(String a, String b) {
        var previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            var current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
