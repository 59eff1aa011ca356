package dev.spur.cloud.update;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// A version as releases are tagged (semver.org): `v0.3.1`, `0.4.0-nightly.20270301`.
///
/// @param pre what comes before the release proper; empty: it is the release
record ReleaseVersion(List<BigInteger> numbers, List<String> pre)
        implements Comparable<ReleaseVersion> {
    private static final Pattern FORM =
            Pattern.compile(
                    "v?(\\d{1,9})\\.(\\d{1,9})\\.(\\d{1,9})(?:-([0-9A-Za-z.-]{1,60}))?(?:\\+[0-9A-Za-z.-]{1,60})?");

    ReleaseVersion {
        numbers = List.copyOf(numbers);
        pre = List.copyOf(pre);
    }

    static Optional<ReleaseVersion> parse(String text) {
        var form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        return Optional.of(
                new ReleaseVersion(
                        List.of(
                                new BigInteger(form.group(1)),
                                new BigInteger(form.group(2)),
                                new BigInteger(form.group(3))),
                        form.group(4) == null
                                ? List.of()
                                : Arrays.asList(form.group(4).split("\\.", -1))));
    }

    @Override
    public int compareTo(ReleaseVersion other) {
        for (var i = 0; i < 3; i++) {
            var order = numbers.get(i).compareTo(other.numbers.get(i));
            if (order != 0) {
                return order;
            }
        }
        if (pre.isEmpty() || other.pre.isEmpty()) {
            return Boolean.compare(pre.isEmpty(), other.pre.isEmpty());
        }
        return Arrays.compare(pre.toArray(String[]::new), other.pre.toArray(String[]::new), WORDS);
    }

    /// Numbers count as numbers and come before words.
    private static final Comparator<String> WORDS =
            (one, other) -> {
                var isNumber = one.matches("\\d+");
                var isOtherNumber = other.matches("\\d+");
                if (isNumber && isOtherNumber) {
                    return new BigInteger(one).compareTo(new BigInteger(other));
                }
                return isNumber == isOtherNumber
                        ? one.compareTo(other)
                        : Boolean.compare(!isNumber, !isOtherNumber);
            };
}
