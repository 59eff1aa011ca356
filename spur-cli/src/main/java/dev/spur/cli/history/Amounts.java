package dev.spur.cli.history;

import dev.spur.model.notation.MemorySize;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/// Amounts of resources as Slurm writes them: `billing=2,cpu=2,mem=200M,node=1`.
public final class Amounts {
    private static final String MEM = "mem";

    private Amounts() {}

    /// `gres/gpu:tesla` of its type `gres` and its name.
    public static String name(String type, String name) {
        return name.isEmpty() ? type : type + "/" + name;
    }

    /// @param names of resources by number; what has none is left out
    /// @param convertsUnits whether memory may be written in larger units than MiB
    public static String text(
            Map<Integer, Long> amounts, Map<Integer, String> names, boolean convertsUnits) {
        List<String> parts = new ArrayList<>();
        amounts.forEach((id, amount) -> {
            var name = names.get(id);
            if (name != null && amount != 0) {
                parts.add(
                        name
                                + "="
                                + (name.equals(MEM)
                                        ? memory(amount, convertsUnits)
                                        : Long.toString(amount)));
            }
        });
        Collections.sort(parts);
        return String.join(",", parts);
    }

    public static String memory(long mebibytes, boolean convertsUnits) {
        return convertsUnits ? MemorySize.ofMebibytes(mebibytes).toString() : mebibytes + "M";
    }
}
