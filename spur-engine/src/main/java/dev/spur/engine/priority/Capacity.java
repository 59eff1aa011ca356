package dev.spur.engine.priority;

import dev.spur.engine.site.Site;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.engine.tres.TresVector;
import dev.spur.model.Tres;
import java.util.TreeMap;

/// What all nodes of a partition have together.
final class Capacity {
    private Capacity() {}

    static TresVector of(String partition, Site site) {
        var members = site.partition(partition).orElse(null);
        if (members == null) {
            return TresVector.ZERO;
        }
        var cpus = 0L;
        var memory = 0L;
        var nodes = 0L;
        var others = new TreeMap<String, Long>();
        for (var kind : site.nodeClasses()) {
            var count = (long) kind.members().intersect(members.nodes()).size();
            var shape = kind.shape();
            nodes += count;
            cpus += count * shape.cpus();
            memory += count * shape.memoryMebibytes();
            if (count > 0) {
                shape.gres()
                        .forEach(gres ->
                                Tres.addGres(
                                        others, gres.name(), gres.type(), count * gres.count()));
            }
        }
        TresRegistry registry = site.tres();
        return registry.vector(new Tres(cpus, memory, nodes, cpus, others));
    }
}
