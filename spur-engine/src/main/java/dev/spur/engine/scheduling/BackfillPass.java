package dev.spur.engine.scheduling;

import dev.spur.engine.state.ArrayLedger;
import dev.spur.engine.state.Job;
import dev.spur.engine.state.JobTerms;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.JobId;
import dev.spur.model.PendingReason;
import dev.spur.model.Reason;
import dev.spur.model.hostlist.Hostlist;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Conservative backfill: a job that cannot start now reserves its earliest slot, and jobs behind
/// it start only where they delay nobody ahead. Same snapshot and time in, same decisions out.
///
/// Jobs are looked at by partition tier, priority, submission and id. Each is tried now; if it does
/// not fit, it reserves its earliest slot on the timeline, as long as the pass has reservations
/// left, and everybody behind it plans around that. Jobs with equal terms are one [Shape]: once one
/// of them cannot start, the others are not tried.
public final class BackfillPass {
    /// Bounds a pass. Jobs behind the last reservation start if they fit now, and delay no
    /// reservation.
    private static final int MOST_RESERVATIONS = 1_000;

    private static final int MOST_RESERVATIONS_PER_SHAPE = 50;

    /// Bounds one batch of starts; the next pass continues.
    private static final int MOST_STARTS = 10_000;

    public List<Decision> plan(Snapshot cluster, Instant now) {
        return new Pass(cluster, now).plan();
    }

    /// Where and when a job that is not in the queue would start (`--test-only`); null if never.
    public @Nullable Trial trial(Snapshot cluster, Instant now, JobTerms terms) {
        var pass = new Pass(cluster, now);
        pass.plan();
        return pass.trial(terms);
    }

    /// @param obstacle why it would not start at all; missing if it would
    public record Trial(
            @Nullable Instant start,
            String partition,
            List<String> nodes,
            long cpus,
            @Nullable Reason obstacle) {}

    private static final class Pass {
        private final Snapshot cluster;
        private final Instant now;
        private final Timeline timeline;
        private final Map<JobTerms, Shape> shapes = new HashMap<>();
        private final Map<JobId, Integer> startedTasks = new HashMap<>();
        private final Set<String> waitingIn = new HashSet<>();
        private final List<Decision> decisions = new ArrayList<>();
        private int reservations;
        private int starts;

        Pass(Snapshot cluster, Instant now) {
            this.cluster = cluster;
            this.now = now;
            timeline = new Timeline(cluster, now);
        }

        List<Decision> plan() {
            for (var job : inOrder()) {
                var shape =
                        shapes.computeIfAbsent(
                                job.terms(), terms -> new Shape(cluster, timeline, terms));
                consider(job, shape);
            }
            return decisions;
        }

        @Nullable Trial trial(JobTerms terms) {
            var shape = new Shape(cluster, timeline, terms);
            var found =
                    shape.obstacle != null
                            ? null
                            : best(shape, option -> fit(option, shape).from(0));
            if (found == null) {
                return new Trial(null, "", List.of(), 0, shape.obstacle);
            }
            var nodes =
                    found.fit.chosen().nodes().stream()
                            .map(timeline -> timeline.node.name())
                            .toList();
            return new Trial(
                    now.plusSeconds(found.fit.start()),
                    found.option.partition().name(),
                    nodes,
                    terms.demand().cpus(),
                    null);
        }

        private List<Job> inOrder() {
            var tiers = new HashMap<String, Integer>();
            cluster.partitions()
                    .forEach(partition ->
                            tiers.put(partition.name(), partition.spec().priorityTier()));
            var eligible = new ArrayList<Ranked>();
            for (var job : cluster.jobs()) {
                if (job.isPending() && job.queueing().eligibleAt() != null) {
                    var tier = 0;
                    for (var partition : job.terms().partitions()) {
                        tier = Math.max(tier, tiers.getOrDefault(partition, 0));
                    }
                    eligible.add(new Ranked(job, tier));
                }
            }
            eligible.sort(Ranked.ORDER);
            return eligible.stream().map(Ranked::job).toList();
        }

        private record Ranked(Job job, int tier) {
            static final Comparator<Ranked> ORDER =
                    Comparator.comparingInt((Ranked ranked) -> -ranked.tier)
                            .thenComparingLong(ranked -> -ranked.job.queueing().priority())
                            .thenComparing(ranked -> ranked.job.submittedAt())
                            .thenComparing(ranked -> ranked.job.id());
        }

        private void consider(Job job, Shape shape) {
            if (shape.obstacle != null) {
                decisions.add(new Decision.Wait(job.id(), shape.obstacle, null, ""));
                return;
            }
            var array = job.array();
            var tasks = array == null || array.split() ? 1 : array.tasks().count();
            while (tasks > 0 && starts < MOST_STARTS) {
                if (array != null && isThrottled(array.array())) {
                    decisions.add(
                            new Decision.Wait(
                                    job.id(), Reason.of(PendingReason.ARRAY_TASK_LIMIT), null, ""));
                    return;
                }
                if (!startNow(job, shape)) {
                    waitFor(job, shape, tasks);
                    return;
                }
                tasks--;
            }
        }

        private boolean isThrottled(JobId array) {
            var ledger = cluster.array(array).map(ArrayLedger::spec).orElse(null);
            if (ledger == null || ledger.throttle().isEmpty()) {
                return false;
            }
            var active = cluster.array(array).map(ArrayLedger::active).orElse(0);
            return active + startedTasks.getOrDefault(array, 0) >= ledger.throttle().getAsInt();
        }

        private boolean startNow(Job job, Shape shape) {
            var found = shape.blocked ? null : best(shape, option -> fit(option, shape).now());
            if (found == null) {
                shape.blocked = true;
                return false;
            }
            start(job, shape, found);
            return true;
        }

        private void start(Job job, Shape shape, Found found) {
            var placement =
                    new Shares(found.option.variant(), found.fit.chosen())
                            .start(
                                    found.option.partition().name(),
                                    NodeTimeline.end(0, shape.duration));
            decisions.add(new Decision.Start(job.id(), placement));
            starts++;
            if (job.array() != null) {
                startedTasks.merge(job.array().array(), 1, Integer::sum);
            }
        }

        /// Reserves for as many of the record's tasks as the pass may, and says why it waits.
        private void waitFor(Job job, Shape shape, int tasks) {
            Found first = null;
            for (var task = 0; task < tasks && mayReserve(shape); task++) {
                var found = best(shape, option -> fit(option, shape).from(shape.earliest));
                if (found == null) {
                    shape.reserved = MOST_RESERVATIONS_PER_SHAPE;
                    break;
                }
                first = first == null ? found : first;
                new Shares(found.option.variant(), found.fit.chosen())
                        .reserve(
                                found.fit.start(),
                                NodeTimeline.end(found.fit.start(), shape.duration));
                shape.earliest = found.fit.start();
                shape.reserved++;
                reservations++;
            }
            var start = first == null ? null : now.plusSeconds(first.fit.start());
            decisions.add(
                    new Decision.Wait(
                            job.id(),
                            Reason.of(rank(shape)),
                            start,
                            first == null ? "" : nodes(first)));
        }

        private boolean mayReserve(Shape shape) {
            return reservations < MOST_RESERVATIONS && shape.reserved < MOST_RESERVATIONS_PER_SHAPE;
        }

        /// The first that waits in a partition waits for resources, those behind it for their turn.
        private PendingReason rank(Shape shape) {
            var first = false;
            for (var option : shape.options) {
                first |= waitingIn.add(option.partition().name());
            }
            return first ? PendingReason.RESOURCES : PendingReason.PRIORITY;
        }

        private static String nodes(Found found) {
            return Hostlist.compress(
                    found.fit.chosen().nodes().stream()
                            .map(timeline -> timeline.node.name())
                            .toList());
        }

        private record Found(Shape.Option option, EarliestFit.Fit fit) {}

        private interface Search {
            EarliestFit.@Nullable Fit in(Shape.Option option);
        }

        private static EarliestFit fit(Shape.Option option, Shape shape) {
            return new EarliestFit(option.variant().demand(), option.nodes(), shape.duration);
        }

        /// The option that starts first; among equals the one named first.
        private static @Nullable Found best(Shape shape, Search search) {
            Found best = null;
            for (var option : shape.options) {
                var fit = search.in(option);
                if (fit != null && (best == null || fit.start() < best.fit.start())) {
                    best = new Found(option, fit);
                }
                if (best != null && best.fit.start() == 0) {
                    break;
                }
            }
            return best;
        }
    }
}
