package dev.spur.engine.limit;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobTerms;
import dev.spur.engine.job.JobTres;
import dev.spur.engine.site.Site;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.engine.tres.TresVector;
import dev.spur.model.Placement;
import dev.spur.model.Tres;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What a job counts for under limits: amounts by number, billed as its partition says.
public final class JobAmounts {
    private JobAmounts() {}

    /// Of what the job has, or had; of what it asks for as long as it waits.
    public static TresVector of(Job job, Site site) {
        var placement = job.phase().placementOrNull();
        return placement == null ? requested(job.terms(), site) : of(placement, site);
    }

    public static TresVector of(Placement placement, Site site) {
        return billed(Tres.of(placement), placement.partition(), site);
    }

    /// As little as the job may have.
    public static TresVector requested(JobTerms terms, Site site) {
        return requested(terms, terms.partitions().getFirst(), site);
    }

    public static TresVector requested(JobTerms terms, String partition, Site site) {
        return billed(JobTres.requested(terms.demand()), partition, site);
    }

    /// Of one node, as much as the job has on any; resource by resource.
    static TresVector mostOfANode(Placement placement, Site site) {
        var most = new TreeMap<Integer, Long>();
        for (var share : placement.nodes()) {
            var one = new Placement(placement.partition(), List.of(share));
            of(one, site).forEach((id, amount) -> most.merge(id, amount, Math::max));
        }
        return TresVector.of(most);
    }

    private static TresVector billed(Tres tres, String partition, Site site) {
        var amounts = site.tres().vector(tres);
        var weights =
                site.partition(partition)
                        .map(one -> one.spec().billing().byName())
                        .orElse(Map.of());
        if (weights.isEmpty()) {
            return amounts;
        }
        var billing = new double[1];
        var registry = site.tres();
        weights.forEach((name, weight) -> billing[0] += weight * amounts.get(registry.id(name)));
        var all = new TreeMap<Integer, Long>();
        amounts.forEach(all::put);
        all.put(TresRegistry.BILLING, (long) StrictMath.rint(billing[0]));
        return TresVector.of(all);
    }
}
