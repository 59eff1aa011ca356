package dev.spur.controller.job;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.scheduling.Plan;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.site.Partition;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSelector;
import dev.spur.model.Role;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/// `squeue`, `scontrol show job`: reads one snapshot and hands it out in chunks.
public final class JobListing {
    private static final int CHUNK = 1000;

    /// Whoever does not read has so much of our memory.
    private static final int CHUNK_BYTES = 64 << 10;

    private final ReplicatedState state;
    private final Visibility visibility;
    private final InstantSource clock;
    private final IntFunction<String> groupNames;
    private final Plan plan;

    public JobListing(
            ReplicatedState state,
            Visibility visibility,
            InstantSource clock,
            IntFunction<String> groupNames,
            Plan plan) {
        this.state = state;
        this.visibility = visibility;
        this.clock = clock;
        this.groupNames = groupNames;
        this.plan = plan;
    }

    /// At least one reply, also when there are no jobs.
    public void list(
            ListJobsRequest request, Caller.Person caller, Consumer<ListJobsReply> replies) {
        var snapshot = state.snapshot();
        var now = clock.instant();
        var query = JobQuery.of(request);
        requireKnown(query, snapshot, caller);
        var view = new JobView(snapshot, now, request.getDetail(), groupNames, plan);
        var chunk = new Chunk(now, replies);
        var hidden = hidden(request, caller, snapshot);
        for (var job : candidates(query, snapshot)) {
            if (!query.matches(job) || hidden.containsAll(job.terms().partitions())) {
                continue;
            }
            var sight = visibility.of(job, caller);
            if (sight == Visibility.Sight.NOTHING) {
                continue;
            }
            var wire = view.of(job, sight);
            var array = job.array();
            if (request.getExpandArrays() && array != null && !array.split()) {
                wire.clearArrayPending();
                array.tasks()
                        .indices()
                        .forEach(index -> chunk.add(wire.setArrayTaskId(index).build()));
            } else {
                chunk.add(wire.build());
            }
        }
        chunk.finish();
    }

    /// The partitions whose jobs this caller is not to see.
    private static Set<String> hidden(
            ListJobsRequest request, Caller.Person caller, Snapshot snapshot) {
        if (!request.getHideHidden() || caller.isAtLeast(Role.OPERATOR)) {
            return Set.of();
        }
        return snapshot.partitions().stream()
                .filter(partition -> partition.spec().hidden())
                .map(Partition::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    /// Looks up single ids instead of walking over everything.
    private static Iterable<dev.spur.engine.job.Job> candidates(JobQuery query, Snapshot snapshot) {
        var ids = query.ids().all();
        if (ids.isEmpty() || ids.size() > 100) {
            return snapshot.jobs();
        }
        var found = new ArrayList<dev.spur.engine.job.Job>();
        for (var id : ids) {
            if (snapshot.array(id.job()).isPresent()) {
                return snapshot.jobs();
            }
            snapshot.job(id.job()).filter(job -> !found.contains(job)).ifPresent(found::add);
        }
        return found;
    }

    private void requireKnown(JobQuery query, Snapshot snapshot, Caller.Person caller) {
        var ids = query.ids().all();
        if (ids.size() == 1 && !isKnown(ids.getFirst(), snapshot, caller)) {
            throw SpurErrors.of(ErrorCode.INVALID_JOB);
        }
    }

    private boolean isKnown(JobSelector id, Snapshot snapshot, Caller.Person caller) {
        var job = snapshot.job(id.job());
        return job.isPresent()
                ? visibility.of(job.get(), caller) != Visibility.Sight.NOTHING
                : snapshot.array(id.job()).isPresent();
    }

    private static final class Chunk {
        private final long now;
        private final Consumer<ListJobsReply> replies;
        private final List<Job> jobs = new ArrayList<>(CHUNK);
        private int bytes;
        private boolean replied;

        Chunk(Instant now, Consumer<ListJobsReply> replies) {
            this.now = InstantMapper.toMicros(now);
            this.replies = replies;
        }

        void add(Job job) {
            jobs.add(job);
            bytes += job.getSerializedSize();
            if (jobs.size() == CHUNK || bytes >= CHUNK_BYTES) {
                flush();
            }
        }

        void finish() {
            if (!replied || !jobs.isEmpty()) {
                flush();
            }
        }

        private void flush() {
            replies.accept(ListJobsReply.newBuilder().addAllJobs(jobs).setNowMicros(now).build());
            replied = true;
            jobs.clear();
            bytes = 0;
        }
    }
}
