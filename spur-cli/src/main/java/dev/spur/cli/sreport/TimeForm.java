package dev.spur.cli.sreport;

import java.util.Arrays;
import java.util.Locale;

/// `-t`: how amounts of time are written.
enum TimeForm {
    SECONDS("Seconds", 1, true, false),
    MINUTES("Minutes", 60, true, false),
    HOURS("Hours", 3600, true, false),
    PERCENT("Percentage of Total", 1, false, true),
    SECPER("Seconds/Percentage of Total", 1, true, true),
    MINPER("Minutes/Percentage of Total", 60, true, true),
    HOURPER("Hours/Percentage of Total", 3600, true, true);

    private static final int WIDE = 18;

    private final String heading;
    private final int seconds;
    private final boolean showsAmount;
    private final boolean showsPart;

    TimeForm(String heading, int seconds, boolean showsAmount, boolean showsPart) {
        this.heading = heading;
        this.seconds = seconds;
        this.showsAmount = showsAmount;
        this.showsPart = showsPart;
    }

    /// @throws IllegalArgumentException if there is none of that name
    static TimeForm of(String text) {
        var upper = text.toUpperCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(form -> form.name().equals(upper))
                .findFirst()
                .or(() ->
                        Arrays.stream(values())
                                .filter(form -> !upper.isEmpty() && form.name().startsWith(upper))
                                .findFirst())
                .orElseThrow(() -> new IllegalArgumentException(text));
    }

    /// `CPU Minutes`; of parts alone it does not matter of what.
    String heading(String what) {
        return showsAmount ? what + " " + heading : heading;
    }

    String unit() {
        return heading;
    }

    boolean showsPart() {
        return showsPart;
    }

    /// As wide as the column usually is, or so that both fit.
    int width(int usual) {
        return showsAmount && showsPart ? WIDE : usual;
    }

    String text(long value, long total) {
        var amount =
                seconds == 1
                        ? Long.toString(value)
                        : String.format(Locale.ROOT, "%.0f", (double) value / seconds);
        if (!showsPart) {
            return amount;
        }
        var part = String.format(Locale.ROOT, "%.2f%%", total == 0 ? 0.0 : 100.0 * value / total);
        return showsAmount ? amount + "(" + part + ")" : part;
    }
}
