package dev.spur.cli.token;

import java.time.Duration;

/// How long a token is valid: `90s`, `30m`, `12h`, `7d`, or seconds without a unit.
final class Lifespan {
    private Lifespan() {}

    static Duration parse(String text) {
        var digits = 0;
        while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
            digits++;
        }
        var number = Integer.parseInt(text.substring(0, digits));
        var duration =
                switch (text.substring(digits)) {
                    case "", "s" -> Duration.ofSeconds(number);
                    case "m" -> Duration.ofMinutes(number);
                    case "h" -> Duration.ofHours(number);
                    case "d" -> Duration.ofDays(number);
                    default -> throw new IllegalArgumentException("no unit of time: " + text);
                };
        if (!duration.isPositive()) {
            throw new IllegalArgumentException("not a time: " + text);
        }
        return duration;
    }
}
