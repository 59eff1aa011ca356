package dev.spur.engine.explanation;

import dev.spur.engine.array.ArrayLedger;
import dev.spur.engine.explanation.Suggestion.Release;
import dev.spur.engine.explanation.Suggestion.Resubmit;
import dev.spur.engine.explanation.Suggestion.Update;
import dev.spur.engine.job.Hold;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.rules.SupposedJob;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Actor;
import dev.spur.model.JobSpec;
import dev.spur.model.MemoryRequest;
import dev.spur.model.ResourceRequest;
import dev.spur.model.Sharing;
import dev.spur.model.notation.GresRequest;
import dev.spur.model.notation.MemorySize;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.Text;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// Looks for the smallest changes that would start a job sooner: one thing at a time, of each as
/// little as will do.
final class Remedies {
    private static final List<Integer> MINUTES =
            List.of(
                    14 * 1440, 7 * 1440, 5 * 1440, 4 * 1440, 3 * 1440, 2 * 1440, 1440, 18 * 60, 720,
                    480, 360, 240, 180, 120, 90, 60, 45, 30, 20, 15, 10, 5, 1);

    private static final Duration A_MINUTE = Duration.ofMinutes(1);
    private static final int MOST = 8;

    private final Snapshot cluster;
    private final Job job;
    private final Actor actor;
    private final Instant now;
    private final Trials trials;
    private final List<Suggestion> found = new ArrayList<>();
    private @Nullable Instant beaten;

    Remedies(Snapshot cluster, Job job, Actor actor, Instant now, Trials trials) {
        this.cluster = cluster;
        this.job = job;
        this.actor = actor;
        this.now = now;
        this.trials = trials;
    }

    /// One change that can be tried.
    private record Remedy(String text, Suggestion.Way way) {}

    /// Those that start it notably sooner than at that time, at once before later.
    ///
    /// @param start missing: any time is sooner
    List<Suggestion> thatBeat(@Nullable Instant start) {
        beaten = start;
        if (job.queueing().eligibleAt() == null) {
            tryWhatKeepsItOut();
        } else {
            tryLess();
            tryElsewhere();
        }
        found.sort(Comparator.comparing(Suggestion::start));
        return found.subList(0, Math.min(MOST, found.size()));
    }

    private void tryWhatKeepsItOut() {
        if (job.queueing().hold() != Hold.NONE && job.queueing().hold().mayBeLiftedBy(actor)) {
            one(new Remedy("released", new Release()));
        }
        if (!job.queueing().dependencies().isEmpty()) {
            one(
                    update(
                            "without its dependency",
                            new JobChange.SetDependency(""),
                            "Dependency",
                            ""));
        }
        if (job.queueing().notBefore() != null && job.spec().begin() != null) {
            one(update("without its begin time", new JobChange.SetBegin(null), "StartTime", "now"));
        }
    }

    private void tryLess() {
        var request = job.spec().request();
        var demand = job.terms().demand();
        if (job.array() != null && job.array().tasks().throttle().isPresent()) {
            one(
                    update(
                            "with as many tasks at once as fit",
                            new JobChange.SetArrayThrottle(0),
                            "ArrayTaskThrottle",
                            "0"));
        }
        least(
                MINUTES.stream()
                        .map(TimeLimit::ofMinutes)
                        .filter(limit -> limit.compareTo(job.terms().timeLimit()) < 0)
                        .map(this::shorter)
                        .toList());
        least(
                below(
                        demand.minNodes(),
                        count ->
                                update(
                                        Text.of("on %d node%s", count, count == 1 ? "" : "s"),
                                        new JobChange.SetNodes(count, count),
                                        "NumNodes",
                                        Integer.toString(count))));
        if (request.tasksGiven()) {
            least(
                    below(
                            request.tasks(),
                            count ->
                                    update(
                                            Text.of("with %d task%s", count, count == 1 ? "" : "s"),
                                            new JobChange.SetTasks(count),
                                            "NumTasks",
                                            Integer.toString(count))));
        }
        least(
                below(
                        request.cpusPerTask(),
                        count ->
                                update(
                                        Text.of(
                                                "with %d CPU%s per task",
                                                count, count == 1 ? "" : "s"),
                                        new JobChange.SetCpusPerTask(count),
                                        "CPUsPerTask",
                                        Integer.toString(count))));
        tryFewerDevices(request);
        tryLessMemory(request.memory());
        if (request.sharing() == Sharing.EXCLUSIVE) {
            one(
                    again(
                            "without nodes for itself alone",
                            job.spec().withRequest(draft -> draft.sharing = Sharing.DEFAULT),
                            "without --exclusive"));
        }
    }

    private Remedy shorter(TimeLimit limit) {
        return update(
                "with a time limit of " + limit.brief(),
                new JobChange.SetTimeLimit(limit),
                "TimeLimit",
                limit.toString());
    }

    private void tryFewerDevices(ResourceRequest request) {
        least(
                fewer(
                        request.gresPerNode(),
                        (count, gres) ->
                                update(
                                        "with " + count + " per node",
                                        new JobChange.SetGresPerNode(gres),
                                        "Gres",
                                        gres)));
        least(
                fewer(
                        request.gresPerJob(),
                        (count, gres) ->
                                again(
                                        "with " + count + " in all",
                                        job.spec().withRequest(draft -> draft.gresPerJob = gres),
                                        "--gpus=" + withoutName(gres))));
        least(
                fewer(
                        request.gresPerTask(),
                        (count, gres) ->
                                again(
                                        "with " + count + " per task",
                                        job.spec().withRequest(draft -> draft.gresPerTask = gres),
                                        "--gpus-per-task=" + withoutName(gres))));
    }

    private interface OfDevices {
        Remedy of(String count, String gres);
    }

    /// With one less, two less, … of the first kind of which there are several.
    private static List<Remedy> fewer(String gres, OfDevices remedy) {
        GresRequest asked;
        try {
            asked = gres.isEmpty() ? GresRequest.NONE : GresRequest.parse(gres);
        } catch (NotationException e) {
            return List.of(); // it was admitted in a notation that counts nothing
        }
        for (var i = 0; i < asked.items().size(); i++) {
            var item = asked.items().get(i);
            if (item.count() > 1) {
                var at = i;
                return below(
                        (int) Math.min(item.count(), 1 << 20),
                        count -> {
                            var items = new ArrayList<>(asked.items());
                            items.set(at, new GresRequest.Item(item.name(), item.type(), count));
                            return remedy.of(
                                    count + " " + item.kind(), new GresRequest(items).toString());
                        });
            }
        }
        return List.of();
    }

    private static String withoutName(String gres) {
        return gres.startsWith("gpu:") ? gres.substring("gpu:".length()) : gres;
    }

    private void tryLessMemory(MemoryRequest memory) {
        switch (memory) {
            case MemoryRequest.PerNode(var size) ->
                    least(
                            parts(
                                    size,
                                    part ->
                                            memory(
                                                    part,
                                                    "node",
                                                    new MemoryRequest.PerNode(part),
                                                    "MinMemoryNode")));
            case MemoryRequest.PerCpu(var size) ->
                    least(
                            parts(
                                    size,
                                    part ->
                                            memory(
                                                    part,
                                                    "CPU",
                                                    new MemoryRequest.PerCpu(part),
                                                    "MinMemoryCPU")));
            case MemoryRequest.Unspecified _,
                    MemoryRequest.WholeNode _,
                    MemoryRequest.PerGpu _ -> {}
        }
    }

    private static Remedy memory(long part, String of, MemoryRequest request, String key) {
        return update(
                Text.of("with %s of memory per %s", new MemorySize(part), of),
                new JobChange.SetMemory(request),
                key,
                part + "M");
    }

    private static List<Remedy> parts(long size, java.util.function.LongFunction<Remedy> remedy) {
        var parts = new ArrayList<Remedy>();
        for (var eighths = 7; eighths > 0; eighths--) {
            var part = size * eighths / 8;
            if (part > 0 && part < size) {
                parts.add(remedy.apply(part));
            }
        }
        return parts;
    }

    private void tryElsewhere() {
        var request = job.spec().request();
        if (!request.constraint().isEmpty()) {
            one(update("without its constraint", new JobChange.SetConstraint(""), "Features", ""));
        }
        if (!request.nodeList().isEmpty()) {
            one(update("on whatever nodes", new JobChange.SetNodeList(""), "ReqNodeList", ""));
        }
        if (!request.exclude().isEmpty()) {
            one(
                    update(
                            "on the nodes that it excludes, too",
                            new JobChange.SetExclude(""),
                            "ExcNodeList",
                            ""));
        }
        for (var partition : cluster.partitions()) {
            if (!job.terms().partitions().contains(partition.name())
                    && partition.spec().state().startsJobs()
                    && !partition.spec().hidden()) {
                one(
                        update(
                                "in partition " + partition.name(),
                                new JobChange.SetPartitions(List.of(partition.name())),
                                "Partition",
                                partition.name()));
            }
        }
        for (var qos : cluster.accounts().qos().values()) {
            if (!qos.name().equals(job.spec().qos())) {
                one(
                        update(
                                "with the QOS " + qos.name(),
                                new JobChange.SetQos(qos.name()),
                                "QOS",
                                qos.name()));
            }
        }
    }

    private static Remedy update(String text, JobChange change, String key, String value) {
        return new Remedy(text, new Update(change, key, value));
    }

    private static Remedy again(String text, JobSpec spec, String option) {
        return new Remedy(text, new Resubmit(spec, option));
    }

    /// Every number below up to 16, and from there by parts: the first changes least.
    private static List<Remedy> below(int count, IntFunction<Remedy> remedy) {
        var all = new ArrayList<Remedy>();
        for (var less = count - 1; less > 0; less -= 1 + less / 16) {
            all.add(remedy.apply(less));
        }
        return all;
    }

    private void one(Remedy remedy) {
        least(List.of(remedy));
    }

    /// Of the changes, each further than the one before, the first with which the job starts as
    /// soon as with the last.
    private void least(List<Remedy> remedies) {
        if (remedies.isEmpty()) {
            return;
        }
        var best = tried(remedies.getLast());
        if (best == null || !isSooner(best.start())) {
            return;
        }
        var soonEnough = best.start().isAfter(now) ? best.start().plus(A_MINUTE) : best.start();
        var from = 0;
        var to = remedies.size() - 1;
        while (from < to) {
            var middle = (from + to) / 2;
            var suggestion = tried(remedies.get(middle));
            if (suggestion != null && suggestion.startsBy(soonEnough)) {
                best = suggestion;
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        found.add(best);
    }

    private boolean isSooner(Instant start) {
        if (beaten == null || !start.isAfter(now)) {
            return true;
        }
        var notable = Duration.between(now, beaten).dividedBy(10);
        return start.plus(notable.compareTo(A_MINUTE) > 0 ? notable : A_MINUTE).isBefore(beaten);
    }

    /// Missing if it is not allowed, or if nobody knows when the job would start.
    private @Nullable Suggestion tried(Remedy remedy) {
        var outcome =
                switch (remedy.way()) {
                    case Update(var change, _, _) -> {
                        var changed = SupposedJob.changed(cluster, job, change, actor, now);
                        yield changed == null ? null : trials.with(changed, ledger(change));
                    }
                    case Release() -> trials.with(SupposedJob.released(job, now), null);
                    case Resubmit(var spec, _) -> {
                        var other = SupposedJob.resubmitted(cluster, job, spec, actor, now);
                        yield other == null ? null : trials.instead(job, other);
                    }
                };
        var start = outcome == null ? null : outcome.start();
        return start == null ? null : new Suggestion(remedy.text(), remedy.way(), start);
    }

    private @Nullable ArrayLedger ledger(JobChange change) {
        return change instanceof JobChange.SetArrayThrottle && job.array() != null
                ? cluster.array(job.array().array())
                        .map(ledger ->
                                ledger.withThrottle(
                                        ledger.spec().withThrottle(OptionalInt.empty())))
                        .orElse(null)
                : null;
    }
}
