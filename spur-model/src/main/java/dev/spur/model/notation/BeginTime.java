package dev.spur.model.notation;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// `--begin` and other points in time that people write: `now+1hour`, `16:00`, `teatime tomorrow`,
/// `01/31/27 4:30pm`, `2027-01-31T16:30`.
///
/// A date alone means its midnight. A time alone means the next such time, today or tomorrow; a
/// date without a year likewise the next such day. A full date may lie in the past.
public final class BeginTime {
    private static final Pattern RELATIVE =
            Pattern.compile("now(?:\\s*([+-])\\s*([0-9]{1,10})\\s*([a-z]*))?");
    private static final Pattern PART =
            Pattern.compile(
                    """
                    (?x)
                      (?<year>[0-9]{4}) - (?<isoMonth>[0-9]{2}) - (?<isoDay>[0-9]{2})
                    | (?<month>[0-9]{1,2}) [/.] (?<day>[0-9]{1,2}) (?:[/.] (?<shortYear>[0-9]{2}))? (?![0-9])
                    | (?<packedMonth>[0-9]{2}) (?<packedDay>[0-9]{2}) (?<packedYear>[0-9]{2})? (?![0-9])
                    | (?<hour>[0-9]{1,2}) : (?<minute>[0-9]{2}) (?:: (?<second>[0-9]{2}))? (?![0-9:]) (?:\\ *(?<half>[ap]m))?
                    | (?<word>[a-su-z][a-z]*|t(?:oday|omorrow|eatime))
                    """);

    private final String text;
    private final LocalDateTime now;
    private @Nullable LocalDate date;
    private @Nullable MonthDay yearlyDate;
    private @Nullable LocalTime time;

    private BeginTime(String text, LocalDateTime now) {
        this.text = text;
        this.now = now;
    }

    public static Instant parse(String text, Instant now, ZoneId zone) {
        var lower = text.strip().toLowerCase(Locale.ROOT);
        var second = now.truncatedTo(ChronoUnit.SECONDS);
        var relative = RELATIVE.matcher(lower);
        if (relative.matches()) {
            return second.plusSeconds(offset(text, relative));
        }
        try {
            return new BeginTime(text, LocalDateTime.ofInstant(second, zone))
                    .resolve(lower)
                    .atZone(zone)
                    .toInstant();
        } catch (DateTimeException _) {
            throw notATime(text);
        }
    }

    private static long offset(String text, Matcher relative) {
        if (relative.group(2) == null) {
            return 0;
        }
        var unit =
                switch (relative.group(3)) {
                    case "", "second", "seconds" -> 1;
                    case "minute", "minutes" -> 60;
                    case "hour", "hours" -> 3600;
                    case "day", "days" -> 86_400;
                    case "week", "weeks" -> 7 * 86_400;
                    default -> throw notATime(text);
                };
        var seconds = Long.parseLong(relative.group(2)) * unit;
        return relative.group(1).equals("-") ? -seconds : seconds;
    }

    private LocalDateTime resolve(String lower) {
        var part = PART.matcher(lower);
        var position = 0;
        while (position < lower.length()) {
            if (!part.region(position, lower.length()).lookingAt()) {
                throw notATime(text);
            }
            take(part);
            position = skipSeparator(lower, part.end());
        }
        return combine();
    }

    /// Blanks may stand between date and time, a single `T` or dash after a date, and a dash before
    /// a word: `noon-tomorrow`.
    private int skipSeparator(String lower, int from) {
        var position = from;
        var afterDate = date != null || yearlyDate != null;
        if (afterDate
                && position < lower.length()
                && (lower.charAt(position) == 't' || lower.charAt(position) == '-')) {
            position++;
        } else if (position + 1 < lower.length()
                && lower.charAt(position) == '-'
                && Character.isLetter(lower.charAt(position + 1))) {
            position++;
        }
        while (position < lower.length() && lower.charAt(position) == ' ') {
            position++;
        }
        return position;
    }

    private void take(Matcher part) {
        if (part.group("year") != null) {
            date =
                    LocalDate.of(
                            number(part, "year"), number(part, "isoMonth"), number(part, "isoDay"));
        } else if (part.group("month") != null) {
            takeDate(number(part, "month"), number(part, "day"), part.group("shortYear"));
        } else if (part.group("packedMonth") != null) {
            takeDate(
                    number(part, "packedMonth"),
                    number(part, "packedDay"),
                    part.group("packedYear"));
        } else if (part.group("hour") != null) {
            time = timeOfDay(part);
        } else {
            takeWord(part.group("word"));
        }
    }

    private void takeDate(int month, int day, @Nullable String shortYear) {
        if (shortYear == null) {
            yearlyDate = MonthDay.of(month, day);
        } else {
            date = LocalDate.of(2000 + Integer.parseInt(shortYear), month, day);
        }
    }

    private LocalTime timeOfDay(Matcher part) {
        var hour = number(part, "hour");
        var second = part.group("second") == null ? 0 : number(part, "second");
        var half = part.group("half");
        if (half == null) {
            return LocalTime.of(hour, number(part, "minute"), second);
        }
        if (hour > 12) {
            throw notATime(text);
        }
        return LocalTime.of(
                hour % 12 + (half.equals("pm") ? 12 : 0), number(part, "minute"), second);
    }

    private void takeWord(String word) {
        switch (word) {
            case "today" -> date = now.toLocalDate();
            case "tomorrow" -> date = now.toLocalDate().plusDays(1);
            case "midnight" -> time = LocalTime.MIDNIGHT;
            case "elevenses" -> time = LocalTime.of(11, 0);
            case "noon" -> time = LocalTime.NOON;
            case "fika" -> time = LocalTime.of(15, 0);
            case "teatime" -> time = LocalTime.of(16, 0);
            default -> throw notATime(text);
        }
    }

    private LocalDateTime combine() {
        var at = time == null ? LocalTime.MIDNIGHT : time;
        if (date != null) {
            return date.atTime(at);
        }
        if (yearlyDate != null) {
            var thisYear = yearlyDate.atYear(now.getYear()).atTime(at);
            return thisYear.isAfter(now)
                    ? thisYear
                    : yearlyDate.atYear(now.getYear() + 1).atTime(at);
        }
        if (time == null) {
            throw notATime(text);
        }
        var today = now.toLocalDate().atTime(at);
        return today.isAfter(now) ? today : today.plusDays(1);
    }

    private static int number(Matcher part, String group) {
        return Integer.parseInt(part.group(group));
    }

    private static NotationException notATime(String text) {
        return new NotationException(
                text,
                "a time",
                "write now, now+count with seconds, minutes, hours, days or weeks, HH:MM[:SS] with am or pm,"
                        + " midnight, noon, elevenses, fika or teatime, and a date as today, tomorrow, MMDDYY, MM/DD/YY"
                        + " or YYYY-MM-DD[THH:MM[:SS]]");
    }
}
