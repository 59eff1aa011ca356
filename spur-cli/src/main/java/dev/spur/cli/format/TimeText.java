package dev.spur.cli.format;

import dev.spur.cli.Invocation;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.TextStyle;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/// Points in time as the caller reads them: in its zone, by its `SLURM_TIME_FORMAT`.
public final class TimeText {
    private static final long MICROS = 1_000_000;
    private static final DateTimeFormatter LINE =
            DateTimeFormatter.ofPattern("EEE MMM dd HH:mm:ss yyyy", Locale.ENGLISH);

    private final ZoneId zone;
    private final String format;
    private final LocalDate today;

    private TimeText(ZoneId zone, String format, LocalDate today) {
        this.zone = zone;
        this.format = format;
        this.today = today;
    }

    public static TimeText of(Invocation in) {
        var wanted = in.environment("SLURM_TIME_FORMAT");
        return new TimeText(
                in.zone(),
                wanted == null || wanted.isEmpty() ? "standard" : wanted,
                LocalDate.ofInstant(in.clock().instant(), in.zone()));
    }

    /// `2026-11-15T18:49:31`, unless the caller wants it otherwise; `missing` for no time.
    public void append(StringBuilder text, long micros, String missing) {
        if (micros == 0) {
            text.append(missing);
            return;
        }
        var at = local(micros);
        switch (format) {
            case "standard" -> standard(text, at);
            case "relative" -> strftime(text, relative(at.toLocalDate()), micros);
            default -> strftime(text, format, micros);
        }
    }

    public String text(long micros, String missing) {
        var text = new StringBuilder(19);
        append(text, micros, missing);
        return text.toString();
    }

    /// The line that long listings begin with: `Sun Nov 15 18:49:51 2026`.
    public String line(long micros) {
        return LINE.format(local(micros));
    }

    private LocalDateTime local(long micros) {
        var second = Math.floorDiv(micros, MICROS);
        return LocalDateTime.ofEpochSecond(
                second, 0, zone.getRules().getOffset(Instant.ofEpochSecond(second)));
    }

    private static void standard(StringBuilder text, LocalDateTime at) {
        padded(text, at.getYear(), 4).append('-');
        padded(text, at.getMonthValue(), 2).append('-');
        padded(text, at.getDayOfMonth(), 2).append('T');
        padded(text, at.getHour(), 2).append(':');
        padded(text, at.getMinute(), 2).append(':');
        padded(text, at.getSecond(), 2);
    }

    /// The nearer the day, the less of it is written.
    private String relative(LocalDate day) {
        var distance = ChronoUnit.DAYS.between(today, day);
        if (distance == 0) {
            return "%H:%M:%S";
        }
        if (distance == -1) {
            return "Ystday %H:%M";
        }
        if (distance == 1) {
            return "Tomorr %H:%M";
        }
        if (Math.abs(distance) > 365) {
            return "%-d %b %Y";
        }
        return distance < -1 || distance > 6 ? "%-d %b %H:%M" : "%a %H:%M";
    }

    private void strftime(StringBuilder text, String pattern, long micros) {
        var second = Math.floorDiv(micros, MICROS);
        var at = Instant.ofEpochSecond(second).atZone(zone);
        for (var i = 0; i < pattern.length(); i++) {
            var c = pattern.charAt(i);
            if (c != '%' || i + 1 == pattern.length()) {
                text.append(c);
                continue;
            }
            i++;
            var isUnpadded = pattern.charAt(i) == '-' && i + 1 < pattern.length();
            if (isUnpadded) {
                i++;
            }
            conversion(text, pattern.charAt(i), isUnpadded ? 1 : 2, at);
        }
    }

    private void conversion(StringBuilder text, char letter, int width, ZonedDateTime at) {
        switch (letter) {
            case 'Y' -> text.append(at.getYear());
            case 'C' -> padded(text, at.getYear() / 100, width);
            case 'y' -> padded(text, at.getYear() % 100, width);
            case 'm' -> padded(text, at.getMonthValue(), width);
            case 'd' -> padded(text, at.getDayOfMonth(), width);
            case 'e' -> blankPadded(text, at.getDayOfMonth());
            case 'H' -> padded(text, at.getHour(), width);
            case 'I' -> padded(text, (at.getHour() + 11) % 12 + 1, width);
            case 'k' -> blankPadded(text, at.getHour());
            case 'M' -> padded(text, at.getMinute(), width);
            case 'S' -> padded(text, at.getSecond(), width);
            case 's' -> text.append(at.toEpochSecond());
            case 'j' -> padded(text, at.getDayOfYear(), width == 1 ? 1 : 3);
            case 'u' -> text.append(at.getDayOfWeek().getValue());
            case 'w' -> text.append(at.getDayOfWeek().getValue() % 7);
            case 'p' -> text.append(at.getHour() < 12 ? "AM" : "PM");
            case 'a' ->
                    text.append(at.getDayOfWeek().getDisplayName(TextStyle.SHORT, Locale.ENGLISH));
            case 'A' ->
                    text.append(at.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH));
            case 'b', 'h' ->
                    text.append(at.getMonth().getDisplayName(TextStyle.SHORT, Locale.ENGLISH));
            case 'B' -> text.append(at.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH));
            case 'F' -> strftime(text, "%Y-%m-%d", micros(at));
            case 'T', 'X' -> strftime(text, "%H:%M:%S", micros(at));
            case 'R' -> strftime(text, "%H:%M", micros(at));
            case 'r' -> strftime(text, "%I:%M:%S %p", micros(at));
            case 'D', 'x' -> strftime(text, "%m/%d/%y", micros(at));
            case 'c' -> strftime(text, "%a %b %e %H:%M:%S %Y", micros(at));
            case 'z' -> text.append(offset(at.getOffset()));
            case 'Z' -> text.append(DateTimeFormatter.ofPattern("zzz", Locale.ENGLISH).format(at));
            case 'n' -> text.append('\n');
            case 't' -> text.append('\t');
            case '%' -> text.append('%');
            default -> text.append('%').append(letter);
        }
    }

    private static long micros(ZonedDateTime at) {
        return at.toEpochSecond() * MICROS;
    }

    private static String offset(ZoneOffset offset) {
        return offset.getTotalSeconds() == 0 ? "+0000" : offset.getId().replace(":", "");
    }

    private static void blankPadded(StringBuilder text, int value) {
        text.append(value < 10 ? " " : "").append(value);
    }

    private static StringBuilder padded(StringBuilder text, int value, int width) {
        for (var bound = width == 4 ? 1000 : width == 3 ? 100 : width == 2 ? 10 : 1;
                bound > 1 && value < bound;
                bound /= 10) {
            text.append('0');
        }
        return text.append(value);
    }
}
