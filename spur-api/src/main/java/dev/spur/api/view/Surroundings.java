package dev.spur.api.view;

import dev.spur.api.v1.TresView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What an answer's entities have in common.
///
/// @param nowMicros the cluster's time
/// @param tresIds numbers of the countable resources by name, as far as they are known
public record Surroundings(String cluster, long nowMicros, Map<String, Integer> tresIds) {
    /// Those that every cluster has, by Slurm's numbers.
    private static final Map<String, Integer> USUAL =
            Map.of(
                    "cpu", 1, "mem", 2, "energy", 3, "node", 4, "billing", 5, "fs/disk", 6, "vmem",
                    7, "pages", 8);

    public Surroundings {
        tresIds = Map.copyOf(tresIds);
    }

    public static Surroundings of(String cluster, long nowMicros) {
        return new Surroundings(cluster, nowMicros, USUAL);
    }

    public static Surroundings of(String cluster, long nowMicros, List<TresView> tres) {
        var ids = new HashMap<>(USUAL);
        tres.forEach(each ->
                ids.put(
                        each.getName().isEmpty()
                                ? each.getType()
                                : each.getType() + "/" + each.getName(),
                        each.getId()));
        return new Surroundings(cluster, nowMicros, ids);
    }

    String tresName(int id) {
        for (var entry : tresIds.entrySet()) {
            if (entry.getValue() == id) {
                return entry.getKey();
            }
        }
        return "";
    }

    int tresId(String name) {
        return tresIds.getOrDefault(name, 0);
    }
}
