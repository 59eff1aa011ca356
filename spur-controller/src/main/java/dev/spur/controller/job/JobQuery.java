package dev.spur.controller.job;

import dev.spur.api.v1.JobFilter;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.WatchRequest;
import dev.spur.engine.job.Job;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.JobState;
import dev.spur.model.SpurException;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.ArraySpec;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Which jobs somebody means. Empty sets mean: all.
public record JobQuery(
        Selectors ids,
        Set<String> users,
        Set<String> partitions,
        @Nullable Set<JobState> states,
        Set<String> accounts,
        Set<String> names,
        Set<String> qos,
        Set<String> nodes,
        Set<String> reservations,
        Set<String> wckeys,
        Set<String> licenses) {
    private static final Set<JobState> LIVE =
            EnumSet.of(
                    JobState.PENDING,
                    JobState.RUNNING,
                    JobState.SUSPENDED,
                    JobState.COMPLETING,
                    JobState.CONFIGURING);

    static JobQuery of(ListJobsRequest request) {
        return new JobQuery(
                Selectors.parse(request.getIdsList()),
                Set.copyOf(request.getUsersList()),
                Set.copyOf(request.getPartitionsList()),
                states(request.getStatesList()),
                Set.copyOf(request.getAccountsList()),
                Set.copyOf(request.getNamesList()),
                Set.copyOf(request.getQosList()),
                hosts(request.getNodesList()),
                Set.copyOf(request.getReservationsList()),
                Set.of(),
                Set.copyOf(request.getLicensesList()));
    }

    /// Jobs that somebody watches.
    ///
    /// @param own whose are the watcher's own
    public static JobQuery of(WatchRequest request, int own) {
        var ids =
                request.getJobIdsList().stream()
                        .map(id -> JobSelector.of(JobId.of(Integer.toUnsignedLong(id))))
                        .toList();
        return new JobQuery(
                new Selectors(ids),
                request.getOwn()
                        ? Set.of(Integer.toUnsignedString(own))
                        : Set.copyOf(request.getUsersList()),
                Set.copyOf(request.getPartitionsOfJobsList()),
                null,
                Set.of(),
                Set.of(),
                Set.of(),
                Set.of(),
                Set.of(),
                Set.of(),
                Set.of());
    }

    static JobQuery of(JobFilter filter) {
        return new JobQuery(
                new Selectors(List.of()),
                Set.copyOf(filter.getUsersList()),
                Set.copyOf(filter.getPartitionsList()),
                states(filter.getStatesList()),
                Set.copyOf(filter.getAccountsList()),
                Set.copyOf(filter.getNamesList()),
                Set.copyOf(filter.getQosList()),
                hosts(filter.getNodesList()),
                filter.getReservation().isEmpty() ? Set.of() : Set.of(filter.getReservation()),
                filter.getWckey().isEmpty() ? Set.of() : Set.of(filter.getWckey()),
                Set.of());
    }

    public boolean matches(Job job) {
        return matchesState(job)
                && (ids.isEmpty() || ids.meaning(job).findAny().isPresent())
                && (users.isEmpty() || matchesUser(job))
                && (partitions.isEmpty() || matchesPartition(job))
                && contains(accounts, job.terms().charge().account())
                && contains(names, job.spec().name())
                && contains(qos, job.terms().charge().qosName())
                && (nodes.isEmpty() || matchesNode(job))
                && contains(reservations, job.spec().reservation())
                && contains(wckeys, job.terms().charge().wckey())
                && (licenses.isEmpty() || matchesLicense(job));
    }

    /// A job asks for `name` or `name:count`.
    private boolean matchesLicense(Job job) {
        return job.spec().licenses().stream()
                .anyMatch(license -> licenses.contains(license.split(":", 2)[0]));
    }

    /// Whether a selector means this record, or some of the tasks that it stands for.
    static boolean matches(JobSelector id, Job job) {
        var array = job.array();
        var tasks = id.tasks();
        if (tasks == null) {
            return job.id().equals(id.job()) || (array != null && array.array().equals(id.job()));
        }
        return array != null && array.array().equals(id.job()) && overlap(tasks, array.tasks());
    }

    /// Walks over the smaller of the two: an array can have a million tasks.
    private static boolean overlap(ArraySpec one, ArraySpec other) {
        return one.count() <= other.count()
                ? one.indices().anyMatch(other::contains)
                : other.indices().anyMatch(one::contains);
    }

    private boolean matchesState(Job job) {
        return states == null
                || states.contains(job.state())
                || states.contains(job.phase().baseState());
    }

    private boolean matchesUser(Job job) {
        var owner = job.spec().owner();
        return users.contains(owner.userName())
                || users.contains(Integer.toUnsignedString(owner.uid()));
    }

    private boolean matchesPartition(Job job) {
        var placement = job.phase().placementOrNull();
        return placement != null
                ? partitions.contains(placement.partition())
                : job.terms().partitions().stream().anyMatch(partitions::contains);
    }

    private boolean matchesNode(Job job) {
        var placement = job.phase().placementOrNull();
        return placement != null
                && placement.nodes().stream().anyMatch(share -> nodes.contains(share.node()));
    }

    private static boolean contains(Set<String> wanted, String value) {
        return wanted.isEmpty() || wanted.contains(value);
    }

    private static @Nullable Set<JobState> states(Collection<String> words) {
        if (words.isEmpty()) {
            return LIVE;
        }
        var states = EnumSet.noneOf(JobState.class);
        for (var word : words) {
            if (word.toUpperCase(Locale.ROOT).equals("ALL")) {
                return null;
            }
            states.add(
                    JobState.parse(word)
                            .orElseThrow(() ->
                                    new SpurException(
                                            ErrorCode.INVALID_REQUEST,
                                            "\"%s\" is not a job state".formatted(word))));
        }
        return states;
    }

    private static Set<String> hosts(List<String> lists) {
        var hosts = new HashSet<String>();
        hosts.addAll(Hostlist.parse(String.join(",", lists)).hosts());
        return Set.copyOf(hosts);
    }
}
