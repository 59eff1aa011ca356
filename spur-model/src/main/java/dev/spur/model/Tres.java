package dev.spur.model;

import dev.spur.model.notation.MemorySize;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// Amounts of trackable resources. Prints as Slurm does:
/// `cpu=4,mem=400M,node=2,billing=4,gres/gpu=2`.
///
/// @param others by name, for example `gres/gpu`, `gres/gpu:tesla`, `license/matlab`
public record Tres(
        long cpus, long memoryMebibytes, long nodes, long billing, Map<String, Long> others) {
    public Tres {
        others = Collections.unmodifiableMap(new TreeMap<>(others));
    }

    /// What a placement takes. CPUs are what is billed.
    public static Tres of(Placement placement) {
        var cpus = placement.cpus();
        var others = new TreeMap<String, Long>();
        for (var share : placement.nodes()) {
            for (var gres : share.gres()) {
                addGres(others, gres.name(), gres.type(), gres.count());
            }
        }
        return new Tres(cpus, placement.memoryMebibytes(), placement.nodes().size(), cpus, others);
    }

    /// Counts a device under its name and, if it has one, under its type.
    public static void addGres(Map<String, Long> counts, String name, String type, long count) {
        counts.merge("gres/" + name, count, Tres::sum);
        if (!type.isEmpty()) {
            counts.merge("gres/" + name + ":" + type, count, Tres::sum);
        }
    }

    /// Anybody may ask for any number.
    private static long sum(long one, long other) {
        return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
    }

    @Override
    public String toString() {
        var text = new StringBuilder();
        append(text, "cpu", cpus);
        if (memoryMebibytes > 0) {
            text.append(text.isEmpty() ? "" : ",")
                    .append("mem=")
                    .append(MemorySize.ofMebibytes(memoryMebibytes));
        }
        append(text, "node", nodes);
        append(text, "billing", billing);
        others.forEach((name, count) -> append(text, name, count));
        return text.toString();
    }

    private static void append(StringBuilder text, String name, long count) {
        if (count > 0) {
            text.append(text.isEmpty() ? "" : ",").append(name).append('=').append(count);
        }
    }
}
