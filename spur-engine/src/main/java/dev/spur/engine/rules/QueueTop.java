package dev.spur.engine.rules;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.priority.PriorityPolicy;
import dev.spur.engine.state.Event;
import dev.spur.model.Actor;
import dev.spur.model.JobId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Puts jobs before the others of the same user, account, QOS and partition, in the order in which
/// they are named. All of them together keep the priorities that they had, each has another one of
/// them: so nobody else waits longer. What changes is their nice value, as in Slurm.
final class QueueTop {
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
        var left = new ArrayList<>(named);
        while (!left.isEmpty()) {
            var fellowship = tables.job(left.getFirst()).map(Fellowship::of).orElse(null);
            if (fellowship == null) {
                left.removeFirst();
            } else {
                raise(left, fellowship);
                left.removeIf(id ->
                        tables.job(id).map(Fellowship::of).filter(fellowship::equals).isPresent());
            }
        }
    }

    private void raise(List<JobId> named, Fellowship fellowship) {
        var all = new ArrayList<Ranked>();
        for (var job : tables.jobs.publish()) {
            if (fellowship.equals(Fellowship.of(job))) {
                all.add(new Ranked(job, priorities.priority(job, tables, tables.now)));
            }
        }
        all.sort(Comparator.comparingLong(Ranked::priority).reversed());
        var ordered = new ArrayList<Ranked>();
        for (var id : named) {
            all.stream().filter(ranked -> ranked.job().id().equals(id)).forEach(ordered::add);
        }
        var raised = ordered.size();
        all.stream().filter(ranked -> !ordered.contains(ranked)).forEach(ordered::add);
        var places = all.stream().mapToLong(Ranked::priority).toArray();
        for (var place = Math.min(raised, places.length - 1) - 1; place >= 0; place--) {
            places[place] = Math.max(places[place], places[place + 1] + 1);
        }
        for (var place = 0; place < places.length; place++) {
            move(ordered.get(place), places[place]);
        }
    }

    private void move(Ranked ranked, long priority) {
        var lower = Math.clamp(ranked.priority() - priority, -1_000_000_000, 1_000_000_000);
        if (lower != 0) {
            var nice = new JobChange.SetNice(ranked.job().spec().nice() + lower);
            var moved = ChangedJob.of(ranked.job(), nice, actor, tables.now);
            tables.put(moved, new Event.JobChanged(moved));
        }
    }
}
