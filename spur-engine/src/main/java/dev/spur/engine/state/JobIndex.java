package dev.spur.engine.state;

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

    private record Namesake(int uid, String name) {}

    private final Tables tables;
    private final Map<String, TreeSet<JobId>> byNode = new HashMap<>();
    private final Map<JobId, TreeSet<JobId>> byArray = new HashMap<>();
    private final Map<JobId, TreeSet<JobId>> waiters = new HashMap<>();
    private final Map<Namesake, TreeSet<JobId>> namesakes = new HashMap<>();
    private final Map<JobId, Instant> alarmOf = new HashMap<>();
    private final TreeSet<Alarm> alarms =
            new TreeSet<>(Comparator.comparing(Alarm::at).thenComparing(Alarm::job));

    JobIndex(Tables tables) {
        this.tables = tables;
    }

    void replace(@Nullable Job before, @Nullable Job after) {
        var id = Objects.requireNonNull(after != null ? after : before).id();
        move(
                byNode,
                before == null ? List.of() : nodesHeldBy(before),
                after == null ? List.of() : nodesHeldBy(after),
                id);
        move(byArray, arrayOf(before), arrayOf(after), id);
        move(waiters, targetsOf(before), targetsOf(after), id);
        move(namesakes, namesakeOf(before), namesakeOf(after), id);
        setAlarm(id, after == null ? null : Alarms.next(after, tables.config.rules()));
    }

    /// Times follow from the rules too: when those change, they are computed again.
    void rearm(Iterable<Job> jobs) {
        for (var job : jobs) {
            setAlarm(job.id(), Alarms.next(job, tables.config.rules()));
        }
    }

    /// Jobs that have something of the node.
    List<Job> on(String node) {
        return found(byNode.get(node));
    }

    /// All records of an array.
    List<Job> ofArray(JobId array) {
        return found(byArray.get(array));
    }

    /// Jobs that wait for something of this job or array.
    List<Job> waitingFor(JobId target) {
        return found(waiters.get(target));
    }

    /// Jobs of the same user and name that have not ended, this one included.
    List<Job> namesakesOf(Job job) {
        return found(namesakes.get(new Namesake(job.spec().owner().uid(), job.spec().name())));
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
        var placement = job.phase().placementOrNull();
        if (placement == null || !nodesHeldBy(job).contains(node)) {
            return null;
        }
        for (var share : placement.nodes()) {
            if (share.node().equals(node)) {
                return share;
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
        var jobs = new ArrayList<Job>(ids.size());
        for (var id : ids) {
            tables.job(id).ifPresent(jobs::add);
        }
        return jobs;
    }

    private static List<JobId> arrayOf(@Nullable Job job) {
        return job == null || job.array() == null ? List.of() : List.of(job.array().array());
    }

    private static List<JobId> targetsOf(@Nullable Job job) {
        if (job == null || !job.isPending()) {
            return List.of();
        }
        return job.queueing().dependencies().open().stream()
                .map(Dependency::job)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    private static List<Namesake> namesakeOf(@Nullable Job job) {
        return job == null || job.isEnded()
                ? List.of()
                : List.of(new Namesake(job.spec().owner().uid(), job.spec().name()));
    }

    private static <K> void move(
            Map<K, TreeSet<JobId>> map, List<K> before, List<K> after, JobId id) {
        if (before.equals(after)) {
            return;
        }
        for (var key : before) {
            var ids = map.get(key);
            if (ids != null && ids.remove(id) && ids.isEmpty()) {
                map.remove(key);
            }
        }
        for (var key : after) {
            map.computeIfAbsent(key, _ -> new TreeSet<>()).add(id);
        }
    }
}
