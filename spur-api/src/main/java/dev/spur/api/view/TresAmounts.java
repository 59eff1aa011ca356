package dev.spur.api.view;

import java.util.LinkedHashMap;
import java.util.Map;

/// Amounts of resources as the wire writes them, `cpu=4,mem=400M,gres/gpu:tesla=2`, by name.
public final class TresAmounts {
    private static final String UNITS = "KMGTP";

    private TresAmounts() {}

    /// Memory in MiB; what cannot be read is left out.
    public static Map<String, Long> parse(String text) {
        var amounts = new LinkedHashMap<String, Long>();
        for (var part : text.split(",", -1)) {
            var at = part.indexOf('=');
            if (at > 0) {
                var amount = amount(part.substring(at + 1));
                if (amount >= 0) {
                    amounts.put(part.substring(0, at), amount);
                }
            }
        }
        return amounts;
    }

    public static long of(String text, String name) {
        return parse(text).getOrDefault(name, 0L);
    }

    private static long amount(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            return mebibytes(text);
        }
    }

    /// Large ones are written with a fraction, `62.50G`.
    private static long mebibytes(String text) {
        try {
            var unit = UNITS.indexOf(text.charAt(text.length() - 1));
            var number = Double.parseDouble(text.substring(0, text.length() - 1));
            return unit < 0 ? -1 : Math.round(number * Math.scalb(1.0, 10 * (unit - 1)));
        } catch (NumberFormatException | IndexOutOfBoundsException _) {
            return -1;
        }
    }
}
