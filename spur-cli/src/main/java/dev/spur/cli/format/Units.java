package dev.spur.cli.format;

import dev.spur.model.notation.Text;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// How sizes are written: in the largest unit that is exact, in the one that was asked for
/// (`--units`), or as bare numbers (`--noconvert`).
///
/// @param unit one of `KMGTP`; missing: the largest that is exact
public record Units(boolean converts, @Nullable Character unit) {
    private static final String NAMES = "KMGTP";
    private static final int STEP = 1024;

    public static final Units EXACT = new Units(true, null);
    public static final Units NONE = new Units(false, null);

    /// @throws IllegalArgumentException if it is no unit
    public static Units of(String text) {
        var letter = text.toUpperCase(Locale.ROOT);
        if (letter.length() != 1 || NAMES.indexOf(letter.charAt(0)) < 0) {
            throw new IllegalArgumentException("Invalid unit type (%s)".formatted(text));
        }
        return new Units(true, letter.charAt(0));
    }

    public String bytes(long bytes) {
        return write(bytes, -1);
    }

    public String kibibytes(long kibibytes) {
        return write(kibibytes, 0);
    }

    public String mebibytes(long mebibytes) {
        return write(mebibytes, 1);
    }

    /// @param at the unit's place among the names; -1: none
    private String write(long amount, int at) {
        if (amount == 0) {
            return "0";
        }
        if (!converts) {
            return amount + (at < 0 ? "" : NAMES.substring(at, at + 1));
        }
        var place = at;
        if (unit != null) {
            double value = amount;
            for (; place < NAMES.indexOf(unit); place++) {
                value /= STEP;
            }
            for (; place > NAMES.indexOf(unit); place--) {
                value *= STEP;
            }
            return value == (long) value
                    ? (long) value + "" + unit
                    : Text.of("%.2f%s", value, unit);
        }
        var value = amount;
        while (value >= STEP && value % STEP == 0 && place < NAMES.length() - 1) {
            value /= STEP;
            place++;
        }
        return value + (place < 0 ? "" : NAMES.substring(place, place + 1));
    }
}
