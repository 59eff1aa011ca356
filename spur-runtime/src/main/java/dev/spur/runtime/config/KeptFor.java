package dev.spur.runtime.config;

import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.regex.Pattern;

/// How long records are kept, as Slurm writes it: `12months`, `365days`, `48hours`; a number alone
/// means months, nothing means for ever.
public record KeptFor(int number, Unit unit) {
    /// What is counted.
    public enum Unit {
        MONTHS,
        DAYS,
        HOURS
    }

    public static final KeptFor EVER = new KeptFor(0, Unit.MONTHS);

    private static final Pattern TEXT =
            Pattern.compile("(\\d{1,6})\\s*(months?|days?|hours?|)", Pattern.CASE_INSENSITIVE);

    public static KeptFor parse(String text) {
        var stripped = text.strip();
        if (stripped.isEmpty() || stripped.equals("0")) {
            return EVER;
        }
        var read = TEXT.matcher(stripped);
        if (!read.matches()) {
            throw new IllegalArgumentException(
                    "must be a time as in 12months, 365days or 48hours, was \"%s\""
                            .formatted(text));
        }
        var unit =
                switch (read.group(2).toLowerCase(Locale.ROOT)) {
                    case "day", "days" -> Unit.DAYS;
                    case "hour", "hours" -> Unit.HOURS;
                    default -> Unit.MONTHS;
                };
        return new KeptFor(Integer.parseInt(read.group(1)), unit);
    }

    public boolean isForEver() {
        return number == 0;
    }

    /// What is older is kept no longer.
    public OffsetDateTime before(OffsetDateTime now) {
        return switch (unit) {
            case MONTHS -> now.minusMonths(number);
            case DAYS -> now.minusDays(number);
            case HOURS -> now.minusHours(number);
        };
    }

    @Override
    public String toString() {
        return isForEver() ? "" : number + unit.name().toLowerCase(Locale.ROOT);
    }
}
