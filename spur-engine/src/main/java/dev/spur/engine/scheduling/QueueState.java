package dev.spur.engine.scheduling;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobTerms;
import dev.spur.engine.limit.Budgets;
import dev.spur.engine.node.Node;
import dev.spur.engine.priority.PriorityPolicy;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.scheduling.WaitingJob.Entry;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.table.TableView;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What scheduling derives from a snapshot, kept from one to the next so that following costs what
/// changed: the queue in order, shapes, free nodes, jobs that have nodes.
final class QueueState {
    private static final int MOST_UNUSED_SHAPES = 1_000;
    private static final List<String> IN_NONE = List.of("");

    final Nodes nodes;
    final TreeSet<Entry> queue = new TreeSet<>(Entry.ORDER);

    /// Jobs that have nodes, by id.
    final SortedMap<Integer, Job> placed = new TreeMap<>();

    private final Map<Integer, WaitingJob> waiting = new HashMap<>();
    private final Map<Shape.Key, Shape> shapes = new HashMap<>();
    private final Map<String, Integer> tiers = new HashMap<>();
    private final PriorityPolicy policy;

    /// What is in use under limits, with what the present pass started.
    final Budgets budgets = new Budgets();

    private Snapshot snapshot;

    /// By which priorities are computed: between two plans they stay what they are.
    private PriorityPolicy.Moment moment;

    private boolean recounts;
    private Instant now;

    QueueState(Snapshot snapshot, PriorityPolicy policy, Instant now) {
        this.snapshot = snapshot;
        this.policy = policy;
        this.now = now;
        moment = policy.at(snapshot, now);
        nodes = new Nodes(snapshot);
        for (var partition : snapshot.partitions()) {
            tiers.put(partition.name(), partition.spec().priorityTier());
        }
        snapshot.jobs().changesSince(TableView.empty(), this::update);
    }

    Snapshot snapshot() {
        return snapshot;
    }

    /// What waiting jobs ask for, and some that asked lately.
    Collection<Shape> shapes() {
        return shapes.values();
    }

    /// Goes on to a later snapshot; false if too much is different and all has to be derived anew.
    boolean follow(Snapshot next, PriorityPolicy nextPolicy, Instant time) {
        var before = snapshot;
        if (!nextPolicy.equals(policy)
                || next.partitions() != before.partitions()
                || next.nodeClasses() != before.nodeClasses()
                || next.reservations() != before.reservations()) {
            return false;
        }
        snapshot = next;
        now = time;
        nodes.restore();
        budgets.giveBack(before.accounts());
        recounts = !next.accounts().isSameTree(before.accounts());
        var sameOrder = new boolean[] {true};
        next.nodes()
                .changesSince(
                        before.nodes(),
                        (@Nullable Node was, @Nullable Node is) ->
                                sameOrder[0] &= nodes.update(was, is));
        if (!sameOrder[0]) {
            return false;
        }
        next.jobs().changesSince(before.jobs(), this::update);
        if (recounts) {
            budgets.recount(next.jobs(), next);
            recounts = false;
        }
        forgetShapes();
        return true;
    }

    private void update(@Nullable Job before, @Nullable Job after) {
        if (!recounts) {
            budgets.replace(before, after, snapshot);
        }
        if (before != null && before.hasNodes() && (after == null || !after.hasNodes())) {
            placed.remove(before.id().value());
        }
        if (after != null && after.hasNodes()) {
            placed.put(after.id().value(), after);
        }
        if (before != null) {
            var known = waiting.get(before.id().value());
            if (known != null
                    && after != null
                    && waits(after)
                    && known.isAlike(after, priority(after))) {
                known.job = after;
                return;
            }
            if (known != null) {
                remove(known);
            }
        }
        if (after != null && waits(after)) {
            add(after);
        }
    }

    /// Time has passed: puts everybody where the present priorities say.
    void reorder() {
        if (policy.isSteady()) {
            return;
        }
        moment = policy.at(snapshot, now);
        for (var place : waiting.values()) {
            var priority = priority(place.job);
            if (priority != place.priority()) {
                place.entries().forEach(queue::remove);
                place.requeue(priority);
                queue.addAll(place.entries());
            }
        }
    }

    private long priority(Job job) {
        return moment.priority(job);
    }

    void tellAgain() {
        waiting.values().forEach(place -> place.said = null);
    }

    private static boolean waits(Job job) {
        return job.isPending() && job.queueing().eligibleAt() != null;
    }

    private void add(Job job) {
        var terms = job.terms();
        var places = new ArrayList<WaitingJob.Place>();
        var reservations = reservationsOf(job);
        for (var partition : terms.partitions()) {
            for (var reservation : reservations) {
                var shape = shape(terms, partition, terms.timeLimit(), reservation);
                var least = terms.timeMin();
                var brief =
                        least == null || least.compareTo(terms.timeLimit()) >= 0
                                ? null
                                : shape(terms, partition, least, reservation);
                places.add(new WaitingJob.Place(shape, brief, tiers.getOrDefault(partition, 0)));
            }
        }
        var place = new WaitingJob(job, places, priority(job));
        waiting.put(job.id().value(), place);
        queue.addAll(place.entries());
    }

    /// Those that it names; of a job that names none, those that draw it in, then none.
    private List<String> reservationsOf(Job job) {
        if (snapshot.reservations().isEmpty() && job.terms().reservation().isEmpty()) {
            return IN_NONE;
        }
        if (!job.terms().reservation().isEmpty()) {
            return Reservations.named(job.terms().reservation());
        }
        var names = new ArrayList<String>();
        for (var reservation : snapshot.reservations().list()) {
            if (reservation.has(ReservationFlag.MAGNETIC)
                    && reservation.admits(job.spec().owner(), job.terms().charge().account())) {
                names.add(reservation.name());
            }
        }
        names.add("");
        return names;
    }

    private Shape shape(JobTerms terms, String partition, TimeLimit limit, String reservation) {
        var key = new Shape.Key(terms.demand(), partition, limit, reservation);
        var shape = shapes.computeIfAbsent(key, unseen -> new Shape(unseen, snapshot, nodes));
        shape.jobs++;
        return shape;
    }

    private void remove(WaitingJob place) {
        waiting.remove(place.job.id().value());
        for (var entry : place.entries()) {
            queue.remove(entry);
            entry.shape().jobs--;
            if (entry.place().brief() != null) {
                entry.place().brief().jobs--;
            }
        }
    }

    /// The next job is often like the last, so shapes without a job stay until there are many.
    private void forgetShapes() {
        if (shapes.size() > 2 * queue.size() + MOST_UNUSED_SHAPES) {
            shapes.values().removeIf(shape -> shape.jobs == 0);
        }
    }
}
