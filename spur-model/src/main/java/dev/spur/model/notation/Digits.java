package dev.spur.model.notation;

import java.util.OptionalLong;

/// Reading plain ASCII numbers: no sign, no blanks, no surprise from other scripts' digits.
final class Digits {
    /// Enough for everything that is counted here, and products with small factors still fit a
    /// long.
    private static final int MOST_DIGITS = 15;

    private Digits() {}

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /// The number, or empty when the text is anything but one to fifteen digits (after leading
    /// zeros).
    static OptionalLong parse(String text) {
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        var significant = 0;
        var value = 0L;
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (!isDigit(c)) {
                return OptionalLong.empty();
            }
            if (significant > 0 || c != '0') {
                significant++;
            }
            if (significant > MOST_DIGITS) {
                return OptionalLong.empty();
            }
            value = value * 10 + (c - '0');
        }
        return OptionalLong.of(value);
    }
}
