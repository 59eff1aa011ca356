package dev.spur.cli.format;

import dev.spur.cli.Invocation;
import dev.spur.model.notation.MemorySize;
import java.util.HashMap;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/// How the caller wants values to look, and the cluster's time at which they are looked at.
///
/// @param arrayTextLength how long a list of array tasks may grow before it ends in `...`; 0: any
/// @param groupNames names of groups by number, as this host knows them
/// @param cluster the name of the cluster that answered, asked for when a field shows it
public record View(
        TimeText times,
        long nowMicros,
        boolean convertsUnits,
        int arrayTextLength,
        LongFunction<String> groupNames,
        Supplier<String> cluster) {
    private static final int USUAL_ARRAY_TEXT = 64;

    /// For what does not show the cluster's name.
    public static View of(Invocation in, long nowMicros) {
        return of(in, nowMicros, true, () -> "");
    }

    public static View of(
            Invocation in, long nowMicros, boolean convertsUnits, Supplier<String> cluster) {
        var known = new HashMap<Long, String>();
        var answered = new HashMap<String, String>();
        return new View(
                TimeText.of(in),
                nowMicros,
                convertsUnits,
                arrayTextLength(in),
                gid -> known.computeIfAbsent(gid, in.users()::groupName),
                () -> answered.computeIfAbsent("cluster", _ -> cluster.get()));
    }

    /// Memory in the largest unit that is exact, or in MiB when units shall stay as they are.
    public void memory(StringBuilder line, long mebibytes) {
        if (convertsUnits || mebibytes == 0) {
            line.append(MemorySize.ofMebibytes(mebibytes));
        } else {
            line.append(mebibytes).append('M');
        }
    }

    private static int arrayTextLength(Invocation in) {
        var wanted = in.environment("SLURM_BITSTR_LEN");
        if (wanted == null) {
            return USUAL_ARRAY_TEXT;
        }
        try {
            return Math.max(0, Integer.parseInt(wanted.strip()));
        } catch (NumberFormatException _) {
            return USUAL_ARRAY_TEXT;
        }
    }
}
