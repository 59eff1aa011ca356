package dev.spur.model.notation;

import java.time.Duration;
import java.util.Locale;

/// How long a job may run, in whole minutes as Slurm counts it, or without a limit.
///
/// Accepted are `M`, `M:S`, `H:M:S`, `D-[H[:M[:S]]]`; note that two fields without days are minutes
/// and seconds. Seconds round up to a minute. `0`, `-1`, `INFINITE` and `UNLIMITED` mean that there
/// is no limit (sbatch(1), `--time`).
public sealed interface TimeLimit extends Comparable<TimeLimit> {
    TimeLimit UNLIMITED = new Unlimited();

    record Limited(int minutes) implements TimeLimit {
        public Limited {
            if (minutes <= 0) {
                throw new IllegalArgumentException(
                        "a time limit is at least a minute, was " + minutes);
            }
        }

        public Duration duration() {
            return Duration.ofMinutes(minutes);
        }

        @Override
        public String brief() {
            return Durations.brief(duration());
        }

        @Override
        public String inSinfo() {
            return brief();
        }

        @Override
        public int compareTo(TimeLimit other) {
            return switch (other) {
                case Limited(var otherMinutes) -> Integer.compare(minutes, otherMinutes);
                case Unlimited _ -> -1;
            };
        }

        @Override
        public String toString() {
            return Durations.padded(duration());
        }
    }

    record Unlimited() implements TimeLimit {
        @Override
        public String brief() {
            return "UNLIMITED";
        }

        @Override
        public String inSinfo() {
            return "infinite";
        }

        @Override
        public int compareTo(TimeLimit other) {
            return other instanceof Unlimited ? 0 : 1;
        }

        @Override
        public String toString() {
            return "UNLIMITED";
        }
    }

    static TimeLimit ofMinutes(int minutes) {
        return new Limited(minutes);
    }

    static TimeLimit parse(String text) {
        var word = text.toUpperCase(Locale.ROOT);
        if (word.equals("-1") || word.equals("INFINITE") || word.equals("UNLIMITED")) {
            return UNLIMITED;
        }
        var minutes = (seconds(text) + 59) / 60;
        if (minutes > Integer.MAX_VALUE) {
            throw notATime(text);
        }
        return minutes == 0 ? UNLIMITED : new Limited((int) minutes);
    }

    /// As `squeue` prints it: `30:00`, `1:00:00`, `1-00:00:00`, `UNLIMITED`.
    String brief();

    /// As `sinfo` prints it: like [#brief] but `infinite`.
    String inSinfo();

    /// Shorter limits first, no limit last.
    @Override
    int compareTo(TimeLimit other);

    private static long seconds(String text) {
        var dash = text.indexOf('-');
        var days = dash < 0 ? 0 : number(text, text.substring(0, dash));
        var rest = text.substring(dash + 1);
        if (dash >= 0 && rest.isEmpty()) {
            return days * 86_400;
        }
        var fields = rest.split(":", -1);
        if (fields.length > 3) {
            throw notATime(text);
        }
        // The first field is hours if days are given or if there are three; otherwise it is
        // minutes.
        var unit = dash >= 0 || fields.length == 3 ? 3600 : 60;
        var seconds = days * 86_400;
        for (var field : fields) {
            seconds += number(text, field) * unit;
            unit /= 60;
        }
        return seconds;
    }

    private static long number(String text, String field) {
        var value = Digits.parse(field).orElseThrow(() -> notATime(text));
        if (value > Integer.MAX_VALUE) {
            throw notATime(text);
        }
        return value;
    }

    private static NotationException notATime(String text) {
        return new NotationException(
                text,
                "a time limit",
                "write minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes or"
                        + " days-hours:minutes:seconds, or UNLIMITED");
    }
}
