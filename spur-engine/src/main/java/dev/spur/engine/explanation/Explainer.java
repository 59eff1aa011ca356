package dev.spur.engine.explanation;

import dev.spur.engine.demand.TaskRoom;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobRights;
import dev.spur.engine.node.Node;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Actor;
import dev.spur.model.IndexSet;
import dev.spur.model.PendingReason;
import dev.spur.model.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Explains why a job waits. Plans the queue of a snapshot once as it is, and then once for each
/// change that may help: what it promises it has seen happen.
///
/// It looks at no more than it may, so whoever asks gets an answer in time, if not every answer.
public final class Explainer {
    private final BackfillPass.Bounds bounds;
    private final long most;

    /// @param bounds of one plan
    /// @param most looks of all plans of one explanation: a hundred million are about a second
    public Explainer(BackfillPass.Bounds bounds, long most) {
        this.bounds = bounds;
        this.most = most;
    }

    /// @param actor who asks: suggestions are what he may do
    public Explanation explain(Snapshot cluster, Job job, Actor actor, Instant now) {
        var trials = new Trials(cluster, now, bounds, most);
        var places = new QueuePlaces(cluster, now);
        var place = places.of(job);
        var outcome = place == 0 ? Trials.Outcome.UNKNOWN : trials.asItIs(job);
        var wait = outcome.told();
        var reason = wait == null ? job.reason() : wait.reason();
        var start = place == 0 ? beginTime(job) : outcome.start();
        var ahead = place == 0 ? List.<Job>of() : places.ahead(job);
        var suitable = suitable(cluster, job);
        var startsNow = start != null && !start.isAfter(now);
        var because =
                startsNow
                        ? "It is about to start."
                        : new Obstacle(cluster, job, reason).inWords(ahead.size(), suitable.size());
        var isHis = JobRights.mayManage(actor, job, cluster.accounts());
        var suggestions =
                isHis && !startsNow
                        ? new Remedies(cluster, job, actor, now, trials).thatBeat(start)
                        : List.<Suggestion>of();
        return new Explanation(
                startsNow ? Reason.NONE : reason,
                because,
                start,
                wait == null ? "" : wait.expectedNodes(),
                place,
                places.size(),
                ahead,
                place == 0 || !waitsForNodes(reason) ? List.of() : holding(cluster, suitable),
                suggestions,
                trials.isExhausted());
    }

    private static boolean waitsForNodes(Reason reason) {
        return reason.code() == PendingReason.RESOURCES
                || reason.code() == PendingReason.PRIORITY
                || reason.code() == PendingReason.NODES_DOWN;
    }

    private static @Nullable Instant beginTime(Job job) {
        return job.reason().code() == PendingReason.BEGIN_TIME ? job.queueing().notBefore() : null;
    }

    /// Nodes of its partitions on which it, or a part of it, could run if they were empty.
    private static IndexSet suitable(Snapshot cluster, Job job) {
        var demand = job.terms().demand();
        var suitable = new BitSet();
        for (var like : cluster.nodeClasses()) {
            if (TaskRoom.suits(demand, like.shape(), like.features())) {
                suitable.or(like.members().toBitSet());
            }
        }
        var among = new BitSet();
        for (var name : job.terms().partitions()) {
            cluster.partition(name).ifPresent(partition -> among.or(partition.nodes().toBitSet()));
        }
        suitable.and(among);
        if (!demand.required().isEmpty()) {
            suitable.and(indices(cluster, demand.required()));
        }
        suitable.andNot(indices(cluster, demand.excluded()));
        return IndexSet.of(suitable);
    }

    private static BitSet indices(Snapshot cluster, List<String> names) {
        var indices = new BitSet();
        names.forEach(name -> cluster.node(name).map(Node::index).ifPresent(indices::set));
        return indices;
    }

    private static List<Job> holding(Snapshot cluster, IndexSet suitable) {
        var names = new HashSet<String>();
        suitable.forEach(index -> {
            var node = cluster.nodeAt(index);
            if (node != null) {
                names.add(node.name());
            }
        });
        var holding = new ArrayList<Job>();
        for (var job : cluster.jobs()) {
            if (job.phase().holdings().stream().anyMatch(share -> names.contains(share.node()))) {
                holding.add(job);
            }
        }
        holding.sort(Comparator.comparing(Explainer::end));
        return holding;
    }

    /// By its time limit; a job without one comes last.
    private static Instant end(Job job) {
        var deadline = job.deadline();
        return deadline == null ? Instant.MAX : deadline;
    }
}
