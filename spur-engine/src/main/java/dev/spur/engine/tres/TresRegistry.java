package dev.spur.engine.tres;

import dev.spur.model.NodeShape;
import dev.spur.model.Tres;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// Which numbers the cluster counts its resources by. A number that was given once means the same
/// for ever, also when the last such device has gone: what was recorded refers to it.
///
/// @param others names beside the ones every cluster has, in the order in which they came:
///   `gres/gpu`, `gres/gpu:tesla`
public record TresRegistry(List<String> others) {
    /// What every cluster has, with Slurm's numbers: the first is 1. Those that are not given out
    /// to jobs are measured.
    private static final List<String> ALWAYS =
            List.of("cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages");

    public static final int CPU = 1;

    /// In mebibytes.
    public static final int MEM = 2;

    public static final int NODE = 4;
    public static final int BILLING = 5;

    /// Of the first that a cluster adds, as in Slurm.
    private static final int FIRST_OTHER = 1001;

    public static final TresRegistry EMPTY = new TresRegistry(List.of());

    public TresRegistry {
        others = List.copyOf(others);
    }

    /// The number of a resource; 0 if the cluster has never had it.
    public int id(String name) {
        var always = ALWAYS.indexOf(name);
        if (always >= 0) {
            return always + 1;
        }
        var other = others.indexOf(name);
        return other < 0 ? 0 : FIRST_OTHER + other;
    }

    /// What a number stands for; missing if it was never given.
    public Optional<String> name(int id) {
        var names = id < FIRST_OTHER ? ALWAYS : others;
        var at = id < FIRST_OTHER ? id - 1 : id - FIRST_OTHER;
        return at < 0 || at >= names.size() ? Optional.empty() : Optional.of(names.get(at));
    }

    /// All numbers that were given, ascending.
    public List<Integer> ids() {
        var ids = new ArrayList<Integer>();
        for (var i = 0; i < ALWAYS.size(); i++) {
            ids.add(i + 1);
        }
        for (var i = 0; i < others.size(); i++) {
            ids.add(FIRST_OTHER + i);
        }
        return ids;
    }

    /// With everything that such a node has.
    public TresRegistry with(NodeShape shape) {
        var counts = new TreeMap<String, Long>();
        shape.gres().forEach(gres -> Tres.addGres(counts, gres.name(), gres.type(), gres.count()));
        if (others.containsAll(counts.keySet())) {
            return this;
        }
        var more = new ArrayList<>(others);
        counts.keySet().stream().filter(name -> !others.contains(name)).forEach(more::add);
        return new TresRegistry(more);
    }

    /// The same amounts by number. What the cluster has never had is left out: nothing of it can be
    /// given or limited.
    public TresVector vector(Tres tres) {
        var amounts = new TreeMap<Integer, Long>();
        amounts.put(CPU, tres.cpus());
        amounts.put(MEM, tres.memoryMebibytes());
        amounts.put(NODE, tres.nodes());
        amounts.put(BILLING, tres.billing());
        tres.others()
                .forEach((name, count) -> {
                    var id = id(name);
                    if (id != 0) {
                        amounts.put(id, count);
                    }
                });
        return TresVector.of(amounts);
    }

    /// The same amounts by name.
    public Tres named(TresVector vector) {
        var counts = new TreeMap<String, Long>();
        for (var i = 0; i < others.size(); i++) {
            var count = vector.get(FIRST_OTHER + i);
            if (count != 0) {
                counts.put(others.get(i), count);
            }
        }
        return new Tres(
                vector.get(CPU), vector.get(MEM), vector.get(NODE), vector.get(BILLING), counts);
    }
}
