package dev.spur.cli.srun;

import java.util.Collection;
import java.util.TreeSet;

/// Task numbers as messages write them: `task 0`, `tasks 0-3,5`.
final class Ranks {
    private Ranks() {}

    static String words(Collection<Integer> ranks) {
        return (ranks.size() == 1 ? "task " : "tasks ") + list(ranks);
    }

    static String list(Collection<Integer> ranks) {
        var text = new StringBuilder();
        Integer first = null;
        int last = 0;
        for (int rank : new TreeSet<>(ranks)) {
            if (first != null && rank == last + 1) {
                last = rank;
                continue;
            }
            if (first != null) {
                append(text, first, last);
            }
            first = rank;
            last = rank;
        }
        if (first != null) {
            append(text, first, last);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, int first, int last) {
        if (!text.isEmpty()) {
            text.append(',');
        }
        text.append(first);
        if (last > first) {
            text.append('-').append(last);
        }
    }
}
