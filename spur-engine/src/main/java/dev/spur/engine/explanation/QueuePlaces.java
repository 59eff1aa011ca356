package dev.spur.engine.explanation;

import dev.spur.engine.job.Job;
import dev.spur.engine.priority.PriorityPolicy;
import dev.spur.engine.state.Snapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The queue in the order in which a plan looks at it: by partition tier, priority, submission and
/// id. A job of several partitions stands where the best of them puts it.
public final class QueuePlaces {
    private final List<Job> queue;
    private final Map<Integer, Integer> places = new HashMap<>();

    private record Place(Job job, int tier, long priority) {}

    public QueuePlaces(Snapshot cluster, Instant now) {
        var tiers = new HashMap<String, Integer>();
        for (var partition : cluster.partitions()) {
            tiers.put(partition.name(), partition.spec().priorityTier());
        }
        var moment = PriorityPolicy.of(cluster).at(cluster, now);
        var all = new ArrayList<Place>();
        for (var job : cluster.jobs()) {
            if (job.isPending() && job.queueing().eligibleAt() != null) {
                var tier =
                        job.terms().partitions().stream()
                                .mapToInt(name -> tiers.getOrDefault(name, 0))
                                .max()
                                .orElse(0);
                all.add(new Place(job, tier, moment.priority(job)));
            }
        }
        all.sort(
                Comparator.comparingInt(Place::tier)
                        .thenComparingLong(Place::priority)
                        .reversed()
                        .thenComparing(place -> place.job().submittedAt())
                        .thenComparing((one, other) ->
                                Integer.compareUnsigned(
                                        one.job().id().value(), other.job().id().value())));
        queue = all.stream().map(Place::job).toList();
        for (var i = 0; i < queue.size(); i++) {
            places.put(queue.get(i).id().value(), i + 1);
        }
    }

    /// 1: it is looked at first; 0: it is not in the queue.
    public int of(Job job) {
        return places.getOrDefault(job.id().value(), 0);
    }

    public int size() {
        return queue.size();
    }

    /// In order.
    public List<Job> jobs() {
        return queue;
    }

    /// Jobs that are looked at before this one in one of its partitions, the last of them first.
    List<Job> ahead(Job job) {
        var ahead = new ArrayList<Job>();
        var place = of(job);
        for (var i = place - 2; i >= 0; i--) {
            if (!Collections.disjoint(
                    queue.get(i).terms().partitions(), job.terms().partitions())) {
                ahead.add(queue.get(i));
            }
        }
        return ahead;
    }
}
