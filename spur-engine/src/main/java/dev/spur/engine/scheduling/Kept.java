package dev.spur.engine.scheduling;

import dev.spur.engine.scheduling.Waiting.Entry;
import dev.spur.engine.state.Job;
import dev.spur.engine.state.Node;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.table.TableView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What scheduling derives from a snapshot, kept from one to the next so that following costs what
/// changed: the queue in order, shapes, free nodes, jobs that have nodes.
final class Kept {
    private static final int MOST_UNUSED_SHAPES = 1_000;

    final Nodes nodes;
    final TreeSet<Entry> queue = new TreeSet<>(Entry.ORDER);

    /// Jobs that have nodes, by id.
    final SortedMap<Integer, Job> placed = new TreeMap<>();

    private final Map<Integer, Waiting> waiting = new HashMap<>();
    private final Map<Shape.Key, Shape> shapes = new HashMap<>();
    private final Map<String, Integer> tiers = new HashMap<>();
    private Snapshot snapshot;

    Kept(Snapshot snapshot) {
        this.snapshot = snapshot;
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
    boolean follow(Snapshot next) {
        var before = snapshot;
        if (next.partitions() != before.partitions()
                || next.nodeClasses() != before.nodeClasses()) {
            return false;
        }
        snapshot = next;
        nodes.restore();
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
        forgetShapes();
        return true;
    }

    private void update(@Nullable Job before, @Nullable Job after) {
        if (before != null && before.hasNodes() && (after == null || !after.hasNodes())) {
            placed.remove(before.id().value());
        }
        if (after != null && after.hasNodes()) {
            placed.put(after.id().value(), after);
        }
        if (before != null) {
            var known = waiting.get(before.id().value());
            if (known != null && after != null && waits(after) && known.isAlike(after)) {
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

    private static boolean waits(Job job) {
        return job.isPending() && job.queueing().eligibleAt() != null;
    }

    private void add(Job job) {
        var found = new ArrayList<Shape>();
        var tiersOf = new ArrayList<Integer>();
        for (var partition : job.terms().partitions()) {
            var key = new Shape.Key(job.terms().demand(), partition, job.terms().timeLimit());
            var shape = shapes.computeIfAbsent(key, unseen -> new Shape(unseen, snapshot, nodes));
            shape.jobs++;
            found.add(shape);
            tiersOf.add(tiers.getOrDefault(partition, 0));
        }
        var place = new Waiting(job, found, tiersOf);
        waiting.put(job.id().value(), place);
        queue.addAll(place.entries);
    }

    private void remove(Waiting place) {
        waiting.remove(place.job.id().value());
        for (var entry : place.entries) {
            queue.remove(entry);
            entry.shape().jobs--;
        }
    }

    /// The next job is often like the last, so shapes without a job stay until there are many.
    private void forgetShapes() {
        if (shapes.size() > 2 * queue.size() + MOST_UNUSED_SHAPES) {
            shapes.values().removeIf(shape -> shape.jobs == 0);
        }
    }
}
