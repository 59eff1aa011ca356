package dev.spur.model.hostlist;

import java.util.Comparator;

/// A host name with the place where its trailing number begins: `node` + `007`. A name that does
/// not end in a number (or in one too long to count with) is all prefix. The parts are cut out only
/// when asked for: lists of 100,000 hosts are compared far more often than printed.
record HostName(String name, int split, long number) {
    /// Numbers of up to this many digits fit a long.
    private static final int MOST_DIGITS = 18;

    static final Comparator<HostName> NATURAL =
            Comparator.comparing(HostName::prefix, HostName::compareNaturally)
                    .thenComparingInt(HostName::width)
                    .thenComparingLong(HostName::number);

    static HostName of(String name) {
        var end = name.length();
        var start = end;
        while (start > 0 && isDigit(name.charAt(start - 1))) {
            start--;
        }
        if (start == end || end - start > MOST_DIGITS) {
            return new HostName(name, end, 0);
        }
        return new HostName(name, start, Long.parseLong(name, start, end, 10));
    }

    static boolean isNumber(String text) {
        if (text.isEmpty() || text.length() > MOST_DIGITS) {
            return false;
        }
        for (var i = 0; i < text.length(); i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    String prefix() {
        return name.substring(0, split);
    }

    String digits() {
        return name.substring(split);
    }

    /// How many digits the number is written with; none if there is no number.
    int width() {
        return name.length() - split;
    }

    boolean isPadded() {
        return width() > 1 && name.charAt(split) == '0';
    }

    boolean sharesBracketWith(HostName other) {
        return width() > 0
                && other.width() > 0
                && split == other.split
                && name.regionMatches(0, other.name, 0, split);
    }

    @Override
    public String toString() {
        return name;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /// Character by character, except that runs of digits compare as numbers, `r2n` before `r10n`,
    /// unless one of them is padded: then they compare like decimal fractions, `r05n` before `r1n`.
    private static int compareNaturally(String a, String b) {
        var i = 0;
        var j = 0;
        while (i < a.length() && j < b.length()) {
            if (isDigit(a.charAt(i)) && isDigit(b.charAt(j))) {
                var endA = endOfDigits(a, i);
                var endB = endOfDigits(b, j);
                var order = compareDigits(a.substring(i, endA), b.substring(j, endB));
                if (order != 0) {
                    return order;
                }
                i = endA;
                j = endB;
            } else if (a.charAt(i) != b.charAt(j)) {
                return Character.compare(a.charAt(i), b.charAt(j));
            } else {
                i++;
                j++;
            }
        }
        return Integer.compare(a.length() - i, b.length() - j);
    }

    private static int endOfDigits(String text, int from) {
        var end = from;
        while (end < text.length() && isDigit(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static int compareDigits(String a, String b) {
        var fraction = a.startsWith("0") || b.startsWith("0");
        var byLength = fraction ? 0 : Integer.compare(a.length(), b.length());
        return byLength != 0 ? byLength : a.compareTo(b);
    }
}
