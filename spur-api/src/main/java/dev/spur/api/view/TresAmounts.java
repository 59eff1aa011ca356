package dev.spur.api.view;

import dev.spur.model.notation.MemorySize;
import dev.spur.model.notation.NotationException;
import java.util.LinkedHashMap;
import java.util.Map;

/// Amounts of resources as the wire writes them, `cpu=4,mem=400M,gres/gpu:tesla=2`, by name.
public final class TresAmounts {
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

    private static long mebibytes(String text) {
        try {
            return MemorySize.parse(text).mebibytes();
        } catch (NotationException _) {
            return -1;
        }
    }
}
