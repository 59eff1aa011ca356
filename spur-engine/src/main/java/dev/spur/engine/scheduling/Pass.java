package dev.spur.engine.scheduling;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobTerms;
import dev.spur.engine.limit.Budgets;
import dev.spur.engine.limit.JobAmounts;
import dev.spur.engine.limit.LimitRules;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.scheduling.WaitingJob.Entry;
import dev.spur.engine.tres.TresVector;
import dev.spur.model.JobId;
import dev.spur.model.NodeShare;
import dev.spur.model.PendingReason;
import dev.spur.model.Placement;
import dev.spur.model.Reason;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One walk along the queue. As long as every job fits, only what is free now is looked at; the
/// first that does not fit makes the pass look into the future.
final class Pass {
    /// Tasks of one array record that reserve; the others follow them.
    private static final int MOST_TASKS_RESERVED = 20;

    /// Starts expected later than this rest on jobs that have no time limit.
    private static final int FORESEEABLE = (int) Duration.ofDays(180).toSeconds();

    private static final Reason RESOURCES = Reason.of(PendingReason.RESOURCES);
    private static final Reason PRIORITY = Reason.of(PendingReason.PRIORITY);

    private final QueueState state;
    private final Nodes nodes;
    private final Instant now;
    private final Instant base;
    private final long number;
    private final BackfillPass.Bounds bounds;
    final Effort effort;
    private final LimitRules limits;
    private final Calendar calendar;

    /// What jobs of a shape have at least, for limits.
    private final Map<Shape, TresVector> asked = new IdentityHashMap<>();

    private final List<Decision> decisions = new ArrayList<>();

    /// Partitions in which a job waits for resources.
    private final Set<String> crowded = new HashSet<>();

    /// Tasks that this pass started, by array.
    private final Map<JobId, Integer> startedTasks = new HashMap<>();

    /// What this pass started before it looked into the future.
    private final List<Timeline.Held> started = new ArrayList<>();

    private @Nullable Timeline timeline;
    private @Nullable EarliestFit fits;
    private int reservations;
    private int starts;

    Pass(QueueState state, Instant now, long number, BackfillPass.Bounds bounds) {
        this.state = state;
        this.nodes = state.nodes;
        this.now = now;
        base = now.truncatedTo(ChronoUnit.SECONDS);
        this.number = number;
        this.bounds = bounds;
        effort = new Effort(bounds.looks());
        limits = new LimitRules(state.snapshot(), state.budgets, now);
        calendar = new Calendar(state.snapshot().reservations(), nodes, now, base);
    }

    /// Starts what fits now, in order, without looking into the future: a job that does not fit
    /// keeps every node that it could use free of those behind it.
    List<Decision> startNow() {
        var open = (BitSet) nodes.inService.clone();
        for (var entry : state.queue) {
            if (open.isEmpty() || starts >= bounds.starts() || effort.isSpent()) {
                break;
            }
            var shape = entry.shape();
            if (entry.waiting().startedInPass == number
                    || !shape.candidates.intersects(open)
                    || shape.obstacle(nodes) != null) {
                continue;
            }
            calendar.enter(shape);
            while (isOpen(entry) && limit(entry) == null) {
                var choice = choose(shape, open);
                if (choice == null) {
                    open.andNot(calendar.awaited(shape));
                    break;
                }
                if (!start(entry, choice, null)) {
                    break;
                }
            }
        }
        return decisions;
    }

    /// Starts what fits now and delays no reservation, and reserves for everybody else.
    List<Decision> plan() {
        for (var entry : state.queue) {
            if (starts >= bounds.starts() || effort.isSpent()) {
                break;
            }
            if (entry.waiting().startedInPass != number) {
                consider(entry);
            }
        }
        return decisions;
    }

    private void consider(Entry entry) {
        var shape = entry.shape();
        var waiting = entry.waiting();
        var obstacle = shape.obstacle(nodes);
        if (isHopeless(entry)) {
            waiting.because(number, PRIORITY);
        } else if (obstacle != null) {
            waiting.because(number, behindOthers(obstacle, shape));
        } else {
            startOrReserve(entry);
        }
        if (entry.isLast() && waiting.startedInPass != number && starts < bounds.starts()) {
            tell(waiting);
        }
    }

    /// Whether one like it could not start and nobody may reserve any more.
    private boolean isHopeless(Entry entry) {
        return !mayReserve() && entry.shape().isLate(number) && entry.waiting().job.array() == null;
    }

    private boolean mayReserve() {
        return reservations < bounds.reservations() && !effort.isMostlySpent();
    }

    private void startOrReserve(Entry entry) {
        entry.shape().enter(number);
        calendar.enter(entry.shape());
        while (isOpen(entry)) {
            var limit = limit(entry);
            if (limit != null) {
                entry.waiting().because(number, limit);
                return;
            }
            var fit = find(entry);
            if (fit != null && fit.start() == 0) {
                if (!start(entry, fit.choice(), null)) {
                    return;
                }
            } else if (!startBriefly(entry)) {
                await(entry, fit);
                return;
            }
        }
        if (entry.waiting().startedInPass != number) {
            entry.waiting().because(number, Reason.of(PendingReason.ARRAY_TASK_LIMIT));
        }
    }

    /// Whether a job that may run for less than its limit (`--time-min`) could start at once, for
    /// as long as it delays nobody.
    private boolean startBriefly(Entry entry) {
        var brief = entry.place().brief();
        if (brief == null || fits == null) {
            return false;
        }
        brief.enter(number);
        calendar.enter(brief);
        var fit = fits.find(brief, 1);
        if (fit == null) {
            return false;
        }
        var seconds =
                timeline().freeFor(brief, fit.choice(), entry.shape().seconds, calendar.of(brief));
        return start(entry, fit.choice(), TimeLimit.ofMinutes(seconds / 60));
    }

    /// Slurm names missing nodes for the first job of a partition only; those behind it wait for
    /// their turn.
    private Reason behindOthers(Reason obstacle, Shape shape) {
        return obstacle.code() == PendingReason.NODES_DOWN && !crowded.add(shape.key.partition())
                ? PRIORITY
                : obstacle;
    }

    /// Whether there is something left to start that may be started.
    private boolean isOpen(Entry entry) {
        var waiting = entry.waiting();
        return waiting.startedInPass != number
                && starts < bounds.starts()
                && tasksAllowed(waiting.job) > 0;
    }

    /// How many more tasks may run beside those of the array that do.
    private int tasksAllowed(Job job) {
        var array = job.array();
        var ledger = array == null ? null : state.snapshot().array(array.array()).orElse(null);
        if (array == null || ledger == null || ledger.spec().throttle().isEmpty()) {
            return Integer.MAX_VALUE;
        }
        return ledger.spec().throttle().getAsInt()
                - ledger.active()
                - startedTasks.getOrDefault(array.array(), 0);
    }

    private EarliestFit.@Nullable Fit find(Entry entry) {
        var shape = entry.shape();
        var known = fits;
        if (known == null) {
            var choice = choose(shape, nodes.inService);
            if (choice != null) {
                return new EarliestFit.Fit(0, choice);
            }
            known = new EarliestFit(timeline(), nodes, calendar, effort);
            fits = known;
        }
        var reserved = entry.waiting().reservation(number);
        var before = reserved != null ? reserved.from() : mayReserve() ? NodeLine.FOREVER : 1;
        return known.find(shape, before);
    }

    private Timeline timeline() {
        var known = timeline;
        if (known == null) {
            known = new Timeline(state, base, started, effort);
            timeline = known;
        }
        return known;
    }

    /// On what is free now, as long as nothing is reserved.
    private @Nullable NodeChoice choose(Shape shape, BitSet open) {
        var among = (BitSet) shape.candidates.clone();
        among.and(open);
        among.and(nodes.withCpus);
        var closures = calendar.of(shape);
        if (closures != null) {
            closures.keepOpen(among, shape.seconds);
        }
        return among.isEmpty()
                ? null
                : NodeChoice.preferred(shape, among, new FreeNow(shape), nodes);
    }

    /// The limit that keeps it waiting, whatever is free; null if none does. Such a job reserves
    /// nothing and stands in nobody's way.
    private @Nullable Reason limit(Entry entry) {
        if (!limits.areEnforced()) {
            return null;
        }
        var job = entry.waiting().job;
        var shape = entry.shape();
        var partition = shape.key.partition();
        var amounts =
                asked.computeIfAbsent(
                        shape, _ -> JobAmounts.requested(job.terms(), partition, state.snapshot()));
        return limits.toStart(candidate(job, partition, amounts, null, job.terms().timeLimit()));
    }

    private LimitRules.Candidate candidate(
            Job job,
            String partition,
            TresVector amounts,
            @Nullable Placement placement,
            TimeLimit limit) {
        var user = job.spec().owner().userName();
        return new LimitRules.Candidate(
                Budgets.chargeIn(job.terms(), user, partition, state.snapshot()),
                user,
                amounts,
                placement,
                limit);
    }

    /// @param limit missing: the job's own
    /// @return false if what it would have is more than it may: then it waits
    private boolean start(Entry entry, NodeChoice choice, @Nullable TimeLimit limit) {
        var waiting = entry.waiting();
        var job = waiting.job;
        var shape = entry.shape();
        var shares = new ArrayList<NodeShare>(choice.positions().length);
        for (var i = 0; i < choice.positions().length; i++) {
            var position = choice.positions()[i];
            var room = shape.room(nodes.byPosition[position]);
            shares.add(nodes.take(position, room, choice.tasks()[i], choice.ofJob()[i]));
        }
        var placement = new Placement(shape.key.partition(), shares);
        if (limits.areEnforced() && !take(waiting, job, placement, limit)) {
            for (var i = 0; i < shares.size(); i++) {
                nodes.giveBack(choice.positions()[i], shares.get(i));
            }
            return false;
        }
        if (timeline != null) {
            var reserved = waiting.reservation(number);
            if (reserved != null) {
                timeline.cancel(reserved);
                waiting.reserve(number, null);
            }
            timeline.reserve(
                    shape, choice, 0, limit == null ? shape.seconds : Shape.seconds(limit));
        }
        if (timeline == null) {
            started.add(new Timeline.Held(shares, shape.seconds));
        }
        decisions.add(new Decision.Start(job.id(), placement, limit, shape.key.reservation()));
        starts++;
        if (job.array() != null) {
            startedTasks.merge(job.array().array(), 1, Integer::sum);
        }
        if (waiting.startTask(number)) {
            waiting.startedInPass = number;
        }
        return true;
    }

    /// Counts what it gets, unless that is more than it may have.
    private boolean take(
            WaitingJob waiting, Job job, Placement placement, @Nullable TimeLimit limit) {
        var cluster = state.snapshot();
        var amounts = JobAmounts.of(placement, cluster);
        var until = limit == null ? job.terms().timeLimit() : limit;
        var candidate = candidate(job, placement.partition(), amounts, placement, until);
        var obstacle = limits.toStart(candidate);
        if (obstacle != null) {
            waiting.because(number, obstacle);
            return false;
        }
        state.budgets.take(job, candidate.charge(), amounts, until, now, cluster.accounts());
        return true;
    }

    /// The job waits: until its reservation if there is one.
    private void await(Entry entry, EarliestFit.@Nullable Fit fit) {
        var waiting = entry.waiting();
        if (fit != null && !limits.reservesNothing(waiting.job.terms().charge())) {
            var earlier = waiting.reservation(number);
            if (earlier != null) {
                timeline().cancel(earlier);
            }
            waiting.reserve(number, reserve(entry.shape(), fit));
            reservations++;
            reserveForTasks(entry);
        }
        var kept = keptBack(entry.shape(), fit);
        if (kept != null) {
            waiting.because(number, kept);
            return;
        }
        var first = crowded.add(entry.shape().key.partition());
        waiting.because(number, first ? RESOURCES : PRIORITY);
    }

    /// Why reservations alone keep such a job from starting now; null if they do not.
    private @Nullable Reason keptBack(Shape shape, EarliestFit.@Nullable Fit fit) {
        var closures = calendar.of(shape);
        if (closures == null) {
            return null;
        }
        if (shape.reservation != null) {
            return fit == null || !calendar.isOpen(shape.reservation)
                    ? Reason.of(PendingReason.RESERVATION)
                    : null;
        }
        if (!shape.keptIsKnown) {
            shape.keptIsKnown = true;
            var open = (BitSet) shape.among(nodes).clone();
            closures.keepOpen(open, shape.seconds);
            shape.kept =
                    open.cardinality() < shape.among(nodes).cardinality()
                                    && new EarliestFit(
                                                    timeline(),
                                                    nodes,
                                                    Calendar.empty(nodes, now, base),
                                                    effort)
                                            .fitsNow(shape)
                            ? new Reason(
                                    PendingReason.NODES_NOT_AVAILABLE,
                                    calendar.isMaintained(shape)
                                            ? ", Reserved for maintenance"
                                            : ", May be reserved for other job")
                            : null;
        }
        return shape.kept;
    }

    private void tell(WaitingJob waiting) {
        var reserved = waiting.reservation(number);
        var reason = waiting.reason(number);
        if (reserved == null || reserved.from() > FORESEEABLE) {
            say(waiting, reason, null, reserved);
        } else {
            say(waiting, reason, base.plusSeconds(reserved.from()), reserved);
        }
    }

    /// Says why a job waits, unless that was said before.
    private void say(
            WaitingJob waiting,
            Reason reason,
            @Nullable Instant expected,
            Timeline.@Nullable Reservation reserved) {
        if (isNews(waiting.said, reason, expected)) {
            var where =
                    expected == null || reserved == null
                            ? ""
                            : nodes.hostlist(reserved.positions());
            var wait = new Decision.Wait(waiting.job.id(), reason, expected, where);
            waiting.said = wait;
            decisions.add(wait);
        }
    }

    /// Further tasks of an array reserve too, as far as they could run beside each other.
    private void reserveForTasks(Entry entry) {
        var array = entry.waiting().job.array();
        if (array == null || array.split() || fits == null) {
            return;
        }
        var more =
                Math.min(
                        Math.min(
                                entry.waiting().tasksLeft(number),
                                tasksAllowed(entry.waiting().job)),
                        MOST_TASKS_RESERVED);
        for (var task = 1; task < more && mayReserve(); task++) {
            var fit = fits.find(entry.shape(), NodeLine.FOREVER);
            if (fit == null) {
                return;
            }
            reserve(entry.shape(), fit);
            reservations++;
        }
    }

    private Timeline.Reservation reserve(Shape shape, EarliestFit.Fit fit) {
        return timeline().reserve(shape, fit.choice(), fit.start(), shape.seconds);
    }

    private boolean isNews(
            Decision.@Nullable Wait said, Reason reason, @Nullable Instant expected) {
        return said == null
                || !said.reason().equals(reason)
                || hasMoved(said.expectedStart(), expected);
    }

    /// The farther away a start is, the less a minute matters.
    private boolean hasMoved(@Nullable Instant before, @Nullable Instant after) {
        if (before == null || after == null) {
            return before != after;
        }
        var ahead = Duration.between(now, after).dividedBy(8);
        var notable = ahead.compareTo(Duration.ofMinutes(1)) > 0 ? ahead : Duration.ofMinutes(1);
        return Duration.between(before, after).abs().compareTo(notable) >= 0;
    }

    /// Where a job that is not in the queue would start behind all that are.
    BackfillPass.Trial trial(JobTerms terms) {
        // Whoever asks is answered, however much the plan has looked at.
        var search = new EarliestFit(timeline(), nodes, calendar, new Effort(Long.MAX_VALUE));
        Reason obstacle = null;
        EarliestFit.Fit best = null;
        var partition = "";
        for (var key : places(terms)) {
            var name = key.partition();
            var shape = new Shape(key, state.snapshot(), nodes);
            calendar.enter(shape);
            var reason = shape.obstacle(nodes);
            obstacle = obstacle == null ? reason : obstacle;
            var fit =
                    reason == null
                            ? search.find(shape, best == null ? NodeLine.FOREVER : best.start())
                            : null;
            if (fit != null) {
                best = fit;
                partition = name;
            }
        }
        if (best == null) {
            return new BackfillPass.Trial(null, "", List.of(), 0, obstacle);
        }
        var names = new ArrayList<String>();
        for (var position : best.choice().positions()) {
            names.add(nodes.byPosition[position].name());
        }
        return new BackfillPass.Trial(
                best.start() > 0 ? base.plusSeconds(best.start()) : now,
                partition,
                names,
                terms.demand().cpus(),
                null);
    }

    private static List<Shape.Key> places(JobTerms terms) {
        var reservations =
                terms.reservation().isEmpty()
                        ? List.of("")
                        : Reservations.named(terms.reservation());
        return terms.partitions().stream()
                .flatMap(partition ->
                        reservations.stream()
                                .map(name ->
                                        new Shape.Key(
                                                terms.demand(),
                                                partition,
                                                terms.timeLimit(),
                                                name)))
                .toList();
    }

    private final class FreeNow implements NodeChoice.Offers {
        private final Shape shape;

        FreeNow(Shape shape) {
            this.shape = shape;
        }

        @Override
        public int room(int position) {
            effort.spend(1);
            var free = nodes.byPosition[position];
            return shape.room(free).tasks(free.cpus, free.memory, free.gres, 0);
        }

        @Override
        public long devicesForJob(int position, int wanted) {
            var free = nodes.byPosition[position];
            return shape.room(free).devicesForJob(wanted, free.cpus, free.memory, free.gres, 0);
        }
    }
}
