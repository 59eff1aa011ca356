package dev.spur.model.notation;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Counts per node in node order with repetitions folded, `2(x3),1`, as in `SLURM_TASKS_PER_NODE`
/// and `SLURM_JOB_CPUS_PER_NODE`.
public final class RunLength {
    private static final int MOST = 1_000_000;
    private static final Pattern PART = Pattern.compile("([0-9]{1,9})(?:\\(x([0-9]{1,7})\\))?");

    private RunLength() {}

    public static String compress(List<Integer> counts) {
        var text = new StringBuilder();
        var start = 0;
        while (start < counts.size()) {
            int count = counts.get(start);
            var end = start + 1;
            while (end < counts.size() && counts.get(end) == count) {
                end++;
            }
            text.append(text.isEmpty() ? "" : ",").append(count);
            if (end - start > 1) {
                text.append("(x").append(end - start).append(')');
            }
            start = end;
        }
        return text.toString();
    }

    public static List<Integer> expand(String text) {
        var counts = new ArrayList<Integer>();
        for (var part : text.split(",", -1)) {
            var match = PART.matcher(part);
            if (!match.matches()) {
                throw notCounts(text);
            }
            var times = match.group(2) == null ? 1 : Integer.parseInt(match.group(2));
            if (times > MOST - counts.size()) {
                throw notCounts(text);
            }
            var count = Integer.valueOf(match.group(1));
            for (var i = 0; i < times; i++) {
                counts.add(count);
            }
        }
        return List.copyOf(counts);
    }

    private static NotationException notCounts(String text) {
        return new NotationException(
                text,
                "a list of counts per node",
                "write counts with repetitions, as in 2(x3),1, for at most " + MOST + " nodes");
    }
}
