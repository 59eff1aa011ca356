package dev.spur.engine.job;

import dev.spur.engine.demand.Demand;
import dev.spur.model.MemoryRequest;
import dev.spur.model.Tres;
import java.util.TreeMap;

/// What a job counts for: the amounts that it asks for, and those that it has.
public final class JobTres {
    private JobTres() {}

    /// What the job has, or had if it is over; what it asks for as long as it waits.
    public static Tres of(Job job) {
        var placement = job.phase().placementOrNull();
        return placement == null ? requested(job.terms().demand()) : Tres.of(placement);
    }

    /// What it would have on as few nodes as it may; CPUs are what is billed. Memory that depends
    /// on the nodes is not known before.
    public static Tres requested(Demand demand) {
        var nodes = demand.minNodes();
        var memory =
                switch (demand.memory()) {
                    case MemoryRequest.PerNode(var mebibytes) -> times(mebibytes, nodes);
                    case MemoryRequest.PerCpu(var mebibytes) -> times(mebibytes, demand.cpus());
                    case MemoryRequest.PerGpu _,
                            MemoryRequest.Unspecified _,
                            MemoryRequest.WholeNode _ ->
                            0;
                };
        var others = new TreeMap<String, Long>();
        for (var gres : demand.gresPerNode()) {
            Tres.addGres(others, gres.name(), gres.type(), times(gres.count(), nodes));
        }
        for (var gres : demand.gresPerJob()) {
            Tres.addGres(others, gres.name(), gres.type(), gres.count());
        }
        for (var gres : demand.gresPerTask()) {
            Tres.addGres(others, gres.name(), gres.type(), times(gres.count(), demand.tasks()));
        }
        return new Tres(demand.cpus(), memory, nodes, demand.cpus(), others);
    }

    /// Anybody may ask for any number: what cannot be counted is more than there is.
    private static long times(long each, long count) {
        return Math.multiplyHigh(each, count) == 0 && each * count >= 0
                ? each * count
                : Long.MAX_VALUE;
    }
}
