package dev.spur.api.records;

import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.StepRecord;
import dev.spur.model.JobSelector;
import dev.spur.model.StepId;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.NotationException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Whether a record is one that a question means, by the rules of `sacct`.
///
/// A job lives from when it became eligible until its end; one that was never eligible is found by
/// its id or its last state only. With states, it has to have been in one of them in the window:
/// pending or running at some time in it, or ended that way in it.
public final class RecordFilter {
    private static final String PENDING = "PENDING";
    private static final String RUNNING = "RUNNING";
    private static final String SUSPENDED = "SUSPENDED";
    private static final long LAST =
            Instant.parse("9999-12-31T23:59:59Z").getEpochSecond() * 1_000_000;

    private final RecordQuery query;
    private final List<JobSelector> ids;

    /// The same, each where a record leads to it: there may be ten thousand of them for every
    /// record.
    private final Map<Integer, List<JobSelector>> byJob;

    private final Set<String> users;
    private final Set<String> nodes;
    private final Set<String> states;
    private final long from;
    private final long until;

    private RecordFilter(RecordQuery query, long nowMicros) {
        this.query = query;
        this.ids = query.getIdsList().stream().map(JobSelector::parse).distinct().toList();
        this.byJob = ids.stream().collect(Collectors.groupingBy(id -> id.job().value()));
        this.users = Set.copyOf(query.getUsersList());
        this.nodes = hosts(query.getNodesList());
        this.states =
                query.getStatesList().stream()
                        .map(state -> state.toUpperCase(Locale.ROOT))
                        .collect(Collectors.toUnmodifiableSet());
        this.from = asked(query.getFromMicros());
        this.until = query.getUntilMicros() == 0 ? nowMicros : asked(query.getUntilMicros());
    }

    /// A time that somebody asks for.
    ///
    /// @throws IllegalArgumentException if no calendar of ours has it
    public static long asked(long micros) {
        if (micros < 0 || micros > LAST) {
            throw new IllegalArgumentException(
                    "%d microseconds is no time between the years 1970 and 9999".formatted(micros));
        }
        return micros;
    }

    /// @param nowMicros the end of a window that has none
    /// @throws NotationException if an id or a host list cannot be read
    public static RecordFilter of(RecordQuery query, long nowMicros) {
        return new RecordFilter(query, nowMicros);
    }

    private static Set<String> hosts(List<String> lists) {
        var hosts = new HashSet<String>();
        if (!lists.isEmpty()) {
            Hostlist.forEach(String.join(",", lists), hosts::add); // together no more than one has
        }
        return hosts;
    }

    /// The jobs that are named, with those that their arrays and components have; empty: any.
    public List<JobSelector> ids() {
        return ids;
    }

    /// States whose jobs have ended; empty if others are asked for as well, or none.
    public Set<String> endStates() {
        return hasWindow()
                        && states.stream()
                                .noneMatch(state ->
                                        Set.of(PENDING, RUNNING, SUSPENDED, "RESIZING")
                                                .contains(state))
                ? states
                : Set.of();
    }

    public boolean hasWindow() {
        return from != 0 || query.getUntilMicros() != 0;
    }

    public long fromMicros() {
        return from;
    }

    public long untilMicros() {
        return until;
    }

    public boolean matches(JobRecord job) {
        return isNamed(job)
                && isOf(users, job.getUserName(), job.getUid())
                && isOf(query.getGroupsList(), job.getGroupName(), job.getGid())
                && isAmong(query.getAccountsList(), job.getAccount())
                && isAmong(query.getQosList(), job.getQos())
                && isAmong(query.getNamesList(), job.getName())
                && isAmong(query.getWckeysList(), job.getWckey())
                && isAmong(query.getReservationsList(), job.getReservation())
                && isAnyAmong(query.getPartitionsList(), job.getPartition())
                && isAnyAmong(query.getFlagsList(), job.getFlags())
                && query.getConstraintsList().stream().allMatch(job.getConstraint()::contains)
                && (query.getAssociationIdsList().isEmpty()
                        || query.getAssociationIdsList().contains(job.getAssociationId()))
                && isOfSize(job)
                && isAtTime(job)
                && ranOn(job);
    }

    /// Whether a step of a job that matches is meant, too.
    public boolean matches(JobRecord job, StepRecord step) {
        return query.getSteps()
                && (ids.isEmpty()
                        || naming(job)
                                .anyMatch(id ->
                                        id.step() == null
                                                || id.step().equals(new StepId(step.getStepId()))));
    }

    private boolean isNamed(JobRecord job) {
        return ids.isEmpty() || naming(job).findAny().isPresent();
    }

    private Stream<JobSelector> naming(JobRecord job) {
        var waiting = new Waiting(job);
        return IntStream.of(job.getJobId(), job.getArrayJobId(), job.getHetJobId())
                .distinct()
                .mapToObj(number -> byJob.getOrDefault(number, List.of()))
                .flatMap(List::stream)
                .filter(id -> names(id, job, waiting));
    }

    /// The tasks of an array that have no job of their own yet, read when somebody asks.
    private static final class Waiting {
        private final JobRecord job;
        private @Nullable ArraySpec tasks;
        private boolean isRead;

        Waiting(JobRecord job) {
            this.job = job;
        }

        boolean intersects(ArraySpec wanted) {
            if (!isRead) {
                isRead = true;
                try {
                    tasks =
                            job.getArrayPending().isEmpty()
                                    ? null
                                    : ArraySpec.parse(job.getArrayPending());
                } catch (NotationException _) {
                    tasks = null;
                }
            }
            return tasks != null && tasks.intersects(wanted);
        }
    }

    private static boolean names(JobSelector id, JobRecord job, Waiting waiting) {
        var number = id.job().value();
        if (id.tasks() != null) {
            return number == job.getArrayJobId() && hasTask(id.tasks(), job, waiting);
        }
        if (id.component() >= 0) {
            return number == job.getHetJobId() && id.component() == job.getHetOffset();
        }
        return number == job.getJobId()
                || number == job.getArrayJobId()
                || number == job.getHetJobId();
    }

    private static boolean hasTask(ArraySpec tasks, JobRecord job, Waiting waiting) {
        return job.hasArrayTaskId()
                ? tasks.contains(job.getArrayTaskId())
                : waiting.intersects(tasks);
    }

    private static boolean isOf(Collection<String> wanted, String name, int number) {
        return wanted.isEmpty()
                || wanted.contains(name)
                || wanted.contains(Integer.toUnsignedString(number));
    }

    private static boolean isAmong(List<String> wanted, String name) {
        return wanted.isEmpty() || wanted.contains(name);
    }

    /// @param names with commas
    private static boolean isAnyAmong(Collection<String> wanted, String names) {
        return wanted.isEmpty()
                || Arrays.stream(names.split("[,|]", -1)).anyMatch(wanted::contains);
    }

    private boolean isOfSize(JobRecord job) {
        var cpus = job.getAllocCpus() != 0 ? job.getAllocCpus() : job.getReqCpus();
        var limit = job.getTimeLimit();
        return (!query.hasMinCpus() || cpus >= query.getMinCpus())
                && (!query.hasMaxCpus() || cpus <= query.getMaxCpus())
                && (!query.hasMinNodes() || job.getNodeCount() >= query.getMinNodes())
                && (!query.hasMaxNodes() || job.getNodeCount() <= query.getMaxNodes())
                && (!query.hasMinLimitMinutes()
                        || limit.getUnlimited()
                        || limit.getMinutes() >= query.getMinLimitMinutes())
                && (!query.hasMaxLimitMinutes()
                        || limit.hasMinutes() && limit.getMinutes() <= query.getMaxLimitMinutes());
    }

    private boolean isAtTime(JobRecord job) {
        if (states.isEmpty()) {
            return !hasWindow() || livedIn(job);
        }
        return states.stream().anyMatch(state -> wasIn(state, job));
    }

    private boolean wasIn(String state, JobRecord job) {
        if (!hasWindow()) {
            return job.getState().equals(state);
        }
        return switch (state) {
            case PENDING -> {
                var begin = begin(job);
                var start = job.getStartMicros() != 0 ? job.getStartMicros() : job.getEndMicros();
                yield begin != 0 && begin <= until && (start == 0 || start >= from);
            }
            case RUNNING -> isBetween(job.getStartMicros(), job.getEndMicros());
            case SUSPENDED ->
                    job.getSuspendedSinceMicros() != 0
                            ? isBetween(job.getSuspendedSinceMicros(), job.getEndMicros())
                            : job.getSuspendedSeconds() > 0
                                    && isBetween(job.getStartMicros(), job.getEndMicros());
            default ->
                    job.getState().equals(state)
                            && (job.getEndMicros() == 0
                                    ? livedIn(job)
                                    : job.getEndMicros() >= from && job.getEndMicros() <= until);
        };
    }

    private boolean livedIn(JobRecord job) {
        return isBetween(begin(job), job.getEndMicros());
    }

    /// 0 if it is not known to have begun.
    private long begin(JobRecord job) {
        return job.getEligibleMicros() == 0 && !ids.isEmpty()
                ? job.getSubmitMicros()
                : job.getEligibleMicros();
    }

    private boolean isBetween(long begin, long end) {
        return begin != 0 && begin <= until && (end == 0 || end >= from);
    }

    private boolean ranOn(JobRecord job) {
        if (nodes.isEmpty()) {
            return true;
        }
        var found = new boolean[1];
        try {
            Hostlist.forEach(job.getNodeList(), host -> found[0] |= nodes.contains(host));
        } catch (NotationException _) {
            return false; // "None assigned"
        }
        return found[0];
    }
}
