package dev.spur.cli.logs;

import dev.spur.cli.Failure;

/// `FROM-TO`, both included, or `FROM-`.
///
/// @param count 0: to the end
record Range(long from, long count) {
    static Range parse(String option, String text, int first) {
        var dash = text.indexOf('-');
        if (dash < 1) {
            throw wrong(option, text);
        }
        var from = number(option, text, text.substring(0, dash));
        var end = text.substring(dash + 1);
        var to = end.isEmpty() ? Long.MAX_VALUE : number(option, text, end);
        if (from < first || to < from) {
            throw wrong(option, text);
        }
        return new Range(from, end.isEmpty() ? 0 : to - from + 1);
    }

    static long count(String option, String text) {
        var count = number(option, text, text);
        if (count < 1) {
            throw new Failure("%s takes a number from 1 on, not \"%s\"".formatted(option, text));
        }
        return count;
    }

    private static long number(String option, String text, String digits) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException _) {
            throw wrong(option, text);
        }
    }

    private static Failure wrong(String option, String text) {
        return new Failure(
                "%s takes a range as in 100-199 or 100-, not \"%s\"".formatted(option, text));
    }
}
