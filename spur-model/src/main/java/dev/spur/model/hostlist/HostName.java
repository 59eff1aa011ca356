package dev.spur.model.hostlist;

import java.util.Comparator;

/// A host name split before its trailing number: `node` + `007`. A name that does not end in a
/// number (or in one too long to count with) is all prefix.
record HostName(String prefix, String digits, long number) {
    /// Numbers of up to this many digits fit a long.
    private static final int MOST_DIGITS = 18;

    static final Comparator<HostName> NATURAL =
            Comparator.comparing(HostName::prefix, HostName::compareNaturally)
                    .thenComparingInt(host -> host.digits().length())
                    .thenComparingLong(HostName::number);

    static HostName of(String name) {
        var end = name.length();
        var start = end;
        while (start > 0 && isDigit(name.charAt(start - 1))) {
            start--;
        }
        if (start == end || end - start > MOST_DIGITS) {
            return new HostName(name, "", 0);
        }
        return new HostName(
                name.substring(0, start),
                name.substring(start),
                Long.parseLong(name, start, end, 10));
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

    boolean isNumbered() {
        return !digits.isEmpty();
    }

    boolean isPadded() {
        return digits.length() > 1 && digits.charAt(0) == '0';
    }

    boolean sharesBracketWith(HostName other) {
        return isNumbered() && other.isNumbered() && prefix.equals(other.prefix);
    }

    @Override
    public String toString() {
        return prefix + digits;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /// Character by character, except that runs of digits compare as numbers: `r2n` before `r10n`.
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
        var significantA = a.replaceFirst("^0+", "");
        var significantB = b.replaceFirst("^0+", "");
        var byLength = Integer.compare(significantA.length(), significantB.length());
        var byValue = byLength != 0 ? byLength : significantA.compareTo(significantB);
        return byValue != 0 ? byValue : Integer.compare(a.length(), b.length());
    }
}
