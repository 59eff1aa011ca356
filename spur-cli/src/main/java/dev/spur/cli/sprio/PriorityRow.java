package dev.spur.cli.sprio;

import dev.spur.api.v1.JobPriority;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// A line of sprio: a job in one of its partitions, or the weights of the factors.
///
/// @param job of the weights: none
record PriorityRow(JobPriority job, Map<String, Long> weights, boolean isWeights) {
    private static final List<String> ORDER =
            List.of("cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages");
    private static final String OF_TRES = "tres/";

    PriorityRow {
        // The controller writes the names of factors as people do.
        var lower = new TreeMap<String, Long>();
        weights.forEach((name, weight) -> lower.put(name.toLowerCase(Locale.ROOT), weight));
        weights = lower;
    }

    static PriorityRow of(JobPriority job, Map<String, Long> weights) {
        return new PriorityRow(job, weights, false);
    }

    static PriorityRow ofWeights(Map<String, Long> weights) {
        return new PriorityRow(JobPriority.getDefaultInstance(), weights, true);
    }

    long weight(String factor) {
        return weights.getOrDefault(factor, 0L);
    }

    /// `cpu=156,mem=3`: what counts, each by its part of the priority.
    String weightedTres() {
        var names = new TreeMap<String, String>();
        if (isWeights) {
            weights.forEach((name, weight) -> {
                if (name.startsWith(OF_TRES) && weight != 0) {
                    names.put(name.substring(OF_TRES.length()), Long.toString(weight));
                }
            });
        } else {
            job.getWeightedTresMap()
                    .forEach((name, weight) -> {
                        if (weight != 0 || job.getTresOrDefault(name, 0) != 0) {
                            names.put(name, Long.toUnsignedString(weight));
                        }
                    });
        }
        return joined(names);
    }

    String factorsOfTres() {
        var names = new TreeMap<String, String>();
        job.getTresMap()
                .forEach((name, factor) -> {
                    if (factor != 0) {
                        names.put(name, String.format(Locale.ROOT, "%.2f", factor));
                    }
                });
        return isWeights ? weightedTres() : joined(names);
    }

    private static String joined(Map<String, String> values) {
        return values.entrySet().stream()
                .sorted(
                        Comparator.comparing((Map.Entry<String, String> one) -> place(one.getKey()))
                                .thenComparing(Map.Entry::getKey))
                .map(one -> one.getKey() + "=" + one.getValue())
                .collect(Collectors.joining(","));
    }

    private static int place(String tres) {
        var place = ORDER.indexOf(tres);
        return place < 0 ? ORDER.size() : place;
    }
}
