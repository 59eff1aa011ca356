package dev.spur.engine.rules;

import static java.util.Objects.requireNonNull;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.priority.PriorityPolicy;
import dev.spur.engine.state.Event;
import dev.spur.model.Actor;
import dev.spur.model.JobId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Puts jobs before the others of the same user, account, QOS and partition, in the order in which
/// they are named. All of them together keep the priorities that they had, each has another one of
/// them: so nobody else waits longer. What changes is their nice value, as in Slurm.
final class QueueTop {
    /// As far as Slurm counts.
    private static final int NICEST = 2_147_483_645;

    private final Tables tables;
    private final PriorityPolicy priorities;
    private final Actor actor;

    QueueTop(Tables tables, Actor actor) {
        this.tables = tables;
        this.actor = actor;
        priorities = PriorityPolicy.of(tables);
    }

    /// Jobs among which the order may change.
    private record Fellowship(int uid, String account, String qos, String partition) {
        static @Nullable Fellowship of(Job job) {
            var terms = job.terms();
            return !job.isPending() || job.queueing().isHeld() || terms.partitions().size() != 1
                    ? null
                    : new Fellowship(
                            job.spec().owner().uid(),
                            job.spec().account(),
                            job.spec().qos(),
                            terms.partitions().getFirst());
        }
    }

    private record Ranked(Job job, long priority) {}

    void raise(Collection<JobId> named) {
        var byFellowship = new LinkedHashMap<Fellowship, SequencedSet<JobId>>();
        for (var id : named) {
            tables.job(id)
                    .map(Fellowship::of)
                    .ifPresent(fellowship ->
                            byFellowship
                                    .computeIfAbsent(fellowship, _ -> new LinkedHashSet<>())
                                    .add(id));
        }
        var fellows = fellows(byFellowship.keySet());
        byFellowship.forEach(
                (fellowship, ids) -> raise(ids, requireNonNull(fellows.get(fellowship))));
    }

    /// One walk over all jobs, however many are named.
    private Map<Fellowship, List<Ranked>> fellows(Set<Fellowship> wanted) {
        var fellows = new HashMap<Fellowship, List<Ranked>>();
        for (var job : tables.jobs.publish()) {
            var fellowship = Fellowship.of(job);
            if (fellowship != null && wanted.contains(fellowship)) {
                fellows.computeIfAbsent(fellowship, _ -> new ArrayList<>())
                        .add(new Ranked(job, priorities.priority(job, tables, tables.now)));
            }
        }
        return fellows;
    }

    private void raise(SequencedSet<JobId> named, List<Ranked> all) {
        all.sort(Comparator.comparingLong(Ranked::priority).reversed());
        var byId = new HashMap<JobId, Ranked>();
        all.forEach(ranked -> byId.put(ranked.job().id(), ranked));
        var ordered = new ArrayList<Ranked>();
        for (var id : named) {
            var ranked = byId.get(id);
            if (ranked != null) {
                ordered.add(ranked);
            }
        }
        var raised = ordered.size();
        all.stream().filter(ranked -> !named.contains(ranked.job().id())).forEach(ordered::add);
        var places = all.stream().mapToLong(Ranked::priority).toArray();
        for (var place = Math.min(raised, places.length - 1) - 1; place >= 0; place--) {
            places[place] = Math.max(places[place], places[place + 1] + 1);
        }
        for (var place = 0; place < places.length; place++) {
            move(ordered.get(place), places[place]);
        }
    }

    private void move(Ranked ranked, long priority) {
        var before = ranked.job().spec().nice();
        var after = Math.clamp(before + ranked.priority() - priority, -NICEST, NICEST);
        if (after != before) {
            var nice = new JobChange.SetNice(after);
            var moved = ChangedJob.of(ranked.job(), nice, actor, tables.now);
            tables.put(moved, new Event.JobChanged(moved));
        }
    }
}
