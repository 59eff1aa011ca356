package dev.spur.api.view;

import java.util.List;

/// Numbers as ranges: `0-1,3`.
public final class Ranges {
    private Ranges() {}

    /// @param numbers ascending
    public static String of(List<Integer> numbers) {
        var text = new StringBuilder();
        for (var i = 0; i < numbers.size(); i++) {
            int first = numbers.get(i);
            int last = first;
            while (i + 1 < numbers.size() && numbers.get(i + 1) == last + 1) {
                last = numbers.get(++i);
            }
            text.append(text.isEmpty() ? "" : ",").append(first);
            if (last > first) {
                text.append('-').append(last);
            }
        }
        return text.toString();
    }
}
