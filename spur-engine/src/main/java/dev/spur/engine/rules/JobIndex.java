package dev.spur.engine.rules;

import dev.spur.engine.dependency.Dependency;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.reservation.Reservations;
import dev.spur.model.JobId;
import dev.spur.model.NodeShare;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Ways to find jobs other than by id. Belongs to the writer, is never stored, and follows from the
/// jobs alone, so that a loaded state builds it anew.
final class JobIndex {
    private record Alarm(Instant at, JobId job) {}

    private record Task(JobId array, int index) {}

    private record Namesake(int uid, String name) {
        static Namesake of(Job job) {
            return new Namesake(job.spec().owner().uid(), job.spec().name());
        }
    }

    private final Tables tables;
    private final Holdings holdings = new Holdings();
    private final Map<String, TreeSet<JobId>> byNode = new HashMap<>();
    private final Map<JobId, TreeSet<JobId>> byArray = new HashMap<>();
    private final Map<Task, TreeSet<JobId>> byTask = new HashMap<>();
    private final Map<JobId, TreeSet<JobId>> unsplit = new HashMap<>();
    private final Map<JobId, TreeSet<JobId>> waiters = new HashMap<>();
    private final Map<Namesake, TreeSet<JobId>> namesakes = new HashMap<>();
    private final Map<Namesake, TreeSet<JobId>> placedNamesakes = new HashMap<>();
    private final Map<Namesake, TreeSet<JobId>> singletons = new HashMap<>();
    private final Map<String, TreeSet<JobId>> byReservation = new HashMap<>();
    private final Map<JobId, Instant> alarmOf = new HashMap<>();
    private final TreeSet<Alarm> alarms =
            new TreeSet<>(Comparator.comparing(Alarm::at).thenComparing(Alarm::job));
    private final TreeSet<Alarm> ended =
            new TreeSet<>(Comparator.comparing(Alarm::at).thenComparing(Alarm::job));
    private long effort;

    JobIndex(Tables tables) {
        this.tables = tables;
    }

    void replace(@Nullable Job before, @Nullable Job after) {
        var id = Objects.requireNonNull(after != null ? after : before).id();
        holdings.replace(before, after);
        move(
                byNode,
                before == null ? List.of() : nodesHeldBy(before),
                after == null ? List.of() : nodesHeldBy(after),
                id);
        move(byArray, arrayOf(before), arrayOf(after), id);
        move(byTask, taskOf(before), taskOf(after), id);
        move(unsplit, unsplitOf(before), unsplitOf(after), id);
        settled(before).forEach(ended::remove);
        ended.addAll(settled(after));
        move(waiters, targetsOf(before), targetsOf(after), id);
        move(namesakes, namesakeOf(before), namesakeOf(after), id);
        move(placedNamesakes, placedNamesakeOf(before), placedNamesakeOf(after), id);
        move(singletons, singletonOf(before), singletonOf(after), id);
        move(byReservation, reservationsOf(before), reservationsOf(after), id);
        setAlarm(id, after == null ? null : Alarms.next(after, tables.config.rules()));
    }

    /// Times follow from the rules too: when those change, they are computed again.
    void rearm(Iterable<Job> jobs) {
        for (var job : jobs) {
            setAlarm(job.id(), Alarms.next(job, tables.config.rules()));
        }
    }

    /// What each user's jobs hold of the controller.
    Holdings holdings() {
        return holdings;
    }

    /// How many jobs were looked at and how many places changed, ever. It must not grow faster than
    /// what happens.
    long effort() {
        return effort;
    }

    /// Jobs that have something of the node.
    List<Job> on(String node) {
        return found(byNode.get(node));
    }

    /// All records of an array.
    List<Job> ofArray(JobId array) {
        return found(byArray.get(array));
    }

    /// One of the records of an array; null if there is none. All are the same user's.
    @Nullable Job anyOfArray(JobId array) {
        effort++;
        var ids = byArray.get(array);
        return ids == null ? null : tables.job(ids.first()).orElse(null);
    }

    /// The record of one task of an array; null if there is none.
    @Nullable Job task(JobId array, int index) {
        for (var job : found(byTask.get(new Task(array, index)))) {
            return job;
        }
        for (var job : found(unsplit.get(array))) {
            if (job.array() != null && job.array().tasks().contains(index)) {
                return job;
            }
        }
        return null;
    }

    /// Jobs that wait for something of this job or array.
    List<Job> waitingFor(JobId target) {
        return found(waiters.get(target));
    }

    /// The one job that may be the next to be alone with this job's user and name; null if that one
    /// does not wait for it. No other may, since this one was submitted before it.
    @Nullable Job nextSingletonLike(Job job) {
        effort++;
        var namesake = Namesake.of(job);
        var all = namesakes.get(namesake);
        var waiting = singletons.get(namesake);
        return all == null || waiting == null || !waiting.contains(all.first())
                ? null
                : tables.job(all.first()).orElse(null);
    }

    /// Whether no other job of the same user and name runs or was submitted before and has not
    /// ended.
    boolean isAlone(Job job) {
        effort++;
        var all = namesakes.get(Namesake.of(job));
        var placed = placedNamesakes.get(Namesake.of(job));
        return (all == null || all.lower(job.id()) == null)
                && (placed == null || (placed.size() == 1 && placed.contains(job.id())));
    }

    /// Jobs whose time has come, at most so many.
    List<Job> due(Instant now, int atMost) {
        var due = new ArrayList<Job>();
        for (var alarm : alarms) {
            if (alarm.at.isAfter(now) || due.size() == atMost) {
                break;
            }
            tables.job(alarm.job).ifPresent(due::add);
        }
        return due;
    }

    /// The job that has been over for longest; null if none is.
    @Nullable Job endedFirst() {
        return ended.isEmpty() ? null : tables.job(ended.first().job).orElse(null);
    }

    /// Jobs that have not ended and name the reservation.
    List<Job> ofReservation(String name) {
        return found(byReservation.get(name));
    }

    boolean isReservationWanted(String name) {
        return byReservation.containsKey(name);
    }

    private static List<String> reservationsOf(@Nullable Job job) {
        return job == null || job.isEnded()
                ? List.of()
                : Reservations.named(job.spec().reservation());
    }

    private static List<Alarm> settled(@Nullable Job job) {
        return job != null && job.phase() instanceof JobPhase.Ended phase
                ? List.of(new Alarm(phase.settledAt(), job.id()))
                : List.of();
    }

    @Nullable Instant nextAlarm() {
        return alarms.isEmpty() ? null : alarms.first().at;
    }

    static List<String> nodesHeldBy(Job job) {
        return switch (job.phase()) {
            case JobPhase.Pending _, JobPhase.Ended _ -> List.of();
            case JobPhase.Running running -> running.placement().nodeNames();
            case JobPhase.Suspended suspended -> suspended.placement().nodeNames();
            case JobPhase.Completing completing -> completing.remaining();
        };
    }

    /// What the job has of a node; null if nothing.
    static @Nullable NodeShare shareOn(Job job, String node) {
        for (var share : job.phase().holdings()) {
            if (share.node().equals(node)) {
                return nodesHeldBy(job).contains(node) ? share : null;
            }
        }
        return null;
    }

    private void setAlarm(JobId id, @Nullable Instant at) {
        var before = at == null ? alarmOf.remove(id) : alarmOf.put(id, at);
        if (Objects.equals(before, at)) {
            return;
        }
        if (before != null) {
            alarms.remove(new Alarm(before, id));
        }
        if (at != null) {
            alarms.add(new Alarm(at, id));
        }
    }

    private List<Job> found(@Nullable TreeSet<JobId> ids) {
        if (ids == null) {
            return List.of();
        }
        effort += ids.size();
        var jobs = new ArrayList<Job>(ids.size());
        for (var id : ids) {
            tables.job(id).ifPresent(jobs::add);
        }
        return jobs;
    }

    private static List<JobId> arrayOf(@Nullable Job job) {
        return job == null || job.array() == null ? List.of() : List.of(job.array().array());
    }

    private static List<Task> taskOf(@Nullable Job job) {
        return job == null || job.array() == null || !job.array().split()
                ? List.of()
                : List.of(new Task(job.array().array(), job.taskIndex()));
    }

    private static List<JobId> unsplitOf(@Nullable Job job) {
        return job == null || job.array() == null || job.array().split()
                ? List.of()
                : List.of(job.array().array());
    }

    private static List<JobId> targetsOf(@Nullable Job job) {
        var open = openOf(job);
        return open.isEmpty()
                ? List.of()
                : open.stream().map(Dependency::job).filter(Objects::nonNull).distinct().toList();
    }

    /// What it still waits for. Most jobs wait for no other, and this is asked at every change of
    /// every job.
    private static List<Dependency> openOf(@Nullable Job job) {
        return job == null || !job.isPending() ? List.of() : job.queueing().dependencies().open();
    }

    private static List<Namesake> namesakeOf(@Nullable Job job) {
        return job == null || job.isEnded() ? List.of() : List.of(Namesake.of(job));
    }

    private static List<Namesake> placedNamesakeOf(@Nullable Job job) {
        return job == null || !job.hasNodes() ? List.of() : List.of(Namesake.of(job));
    }

    private static List<Namesake> singletonOf(@Nullable Job job) {
        var open = openOf(job);
        if (job == null || open.isEmpty()) {
            return List.of();
        }
        var waits =
                open.stream()
                        .anyMatch(dependency -> dependency.kind() == Dependency.Kind.SINGLETON);
        return waits ? List.of(Namesake.of(job)) : List.of();
    }

    private <K> void move(Map<K, TreeSet<JobId>> map, List<K> before, List<K> after, JobId id) {
        if (before.equals(after)) {
            return;
        }
        // A job on thousands of nodes leaves one after the other: both ends of the lists are mostly
        // the same, and only what lies between is moved.
        var shorter = Math.min(before.size(), after.size());
        var head = 0;
        while (head < shorter && before.get(head).equals(after.get(head))) {
            head++;
        }
        var tail = 0;
        while (tail < shorter - head
                && before.get(before.size() - 1 - tail)
                        .equals(after.get(after.size() - 1 - tail))) {
            tail++;
        }
        effort += before.size() + after.size() - 2L * (head + tail);
        for (var key : before.subList(head, before.size() - tail)) {
            var ids = map.get(key);
            if (ids != null && ids.remove(id) && ids.isEmpty()) {
                map.remove(key);
            }
        }
        for (var key : after.subList(head, after.size() - tail)) {
            map.computeIfAbsent(key, _ -> new TreeSet<>()).add(id);
        }
    }
}
