package dev.spur.controller.record;

import com.google.protobuf.ByteString;
import dev.spur.api.map.InstantMapper;
import dev.spur.api.records.RecordFilter;
import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.ListRecordsReply;
import dev.spur.api.v1.ListRecordsRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.accounting.JobRecords;
import dev.spur.controller.accounting.StepRecords;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.state.Snapshot;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/// Jobs that the controllers know, in the form of their records: what `sacct` shows before the
/// database has it. All that the query means are listed, also those that the database has: whoever
/// joins the two prefers what is here, which is never older.
public final class RecordListing {
    /// Whoever does not read has so much of our memory.
    private static final int CHUNK_BYTES = 64 << 10;

    private static final int MOST_LOOKED_UP = 100;

    private final ReplicatedState state;
    private final Visibility visibility;
    private final InstantSource clock;
    private final IntFunction<String> groupNames;

    public RecordListing(
            ReplicatedState state,
            Visibility visibility,
            InstantSource clock,
            IntFunction<String> groupNames) {
        this.state = state;
        this.visibility = visibility;
        this.clock = clock;
        this.groupNames = groupNames;
    }

    /// At least one reply, also when there are no jobs.
    public void list(
            ListRecordsRequest request, Caller.Person caller, Consumer<ListRecordsReply> replies) {
        var snapshot = state.snapshot();
        var now = InstantMapper.toMicros(clock.instant());
        var filter = RecordFilter.of(request.getQuery(), now);
        var users = Set.copyOf(request.getQuery().getUsersList());
        var reply = begin(snapshot, now);
        var bytes = 0;
        for (var job : candidates(filter, snapshot)) {
            var sight = visibility.of(job, caller);
            if (sight == Visibility.Sight.NOTHING || !isOf(users, job)) {
                continue;
            }
            var record =
                    JobRecords.of(job, snapshot).toBuilder()
                            .setGroupName(groupNames.apply(job.spec().owner().gid()))
                            .build();
            if (filter.matches(record)) {
                var history = history(job, record, sight, filter, snapshot);
                reply.addJobs(history);
                bytes += history.getSerializedSize();
            }
            if (bytes >= CHUNK_BYTES) {
                replies.accept(reply.build());
                reply = begin(snapshot, now);
                bytes = 0;
            }
        }
        replies.accept(reply.build());
    }

    /// Spares those of others the conversion.
    private static boolean isOf(Set<String> users, Job job) {
        var owner = job.spec().owner();
        return users.isEmpty()
                || users.contains(owner.userName())
                || users.contains(Integer.toUnsignedString(owner.uid()));
    }

    private static ListRecordsReply.Builder begin(Snapshot snapshot, long now) {
        return ListRecordsReply.newBuilder()
                .setCluster(snapshot.config().clusterName())
                .setNowMicros(now);
    }

    /// Looks up single ids instead of walking over everything.
    private static Iterable<Job> candidates(RecordFilter filter, Snapshot snapshot) {
        var ids = filter.ids();
        if (ids.isEmpty() || ids.size() > MOST_LOOKED_UP) {
            return snapshot.jobs();
        }
        var found = new ArrayList<Job>();
        for (var id : ids) {
            if (snapshot.array(id.job()).isPresent()) {
                return snapshot.jobs();
            }
            snapshot.job(id.job()).filter(job -> !found.contains(job)).ifPresent(found::add);
        }
        return found;
    }

    private static JobHistory history(
            Job job,
            JobRecord record,
            Visibility.Sight sight,
            RecordFilter filter,
            Snapshot snapshot) {
        var seesAll = sight == Visibility.Sight.ALL;
        var history =
                JobHistory.newBuilder()
                        .setCluster(snapshot.config().clusterName())
                        .setJob(seesAll ? record : outline(record));
        for (var steps : List.of(job.steps().ended(), job.steps().live())) {
            for (var step : steps) {
                var shown = StepRecords.of(job, step, snapshot);
                if (filter.matches(record, shown)) {
                    history.addSteps(seesAll ? shown : shown.toBuilder().clearSubmitLine().build());
                }
            }
        }
        return history.build();
    }

    /// Without what only the owner and operators see when other people's jobs are redacted.
    private static JobRecord outline(JobRecord record) {
        return record.toBuilder()
                .clearWorkDir()
                .clearSubmitLine()
                .clearComment()
                .clearAdminComment()
                .clearContainer()
                .clearSubmitHost()
                .clearStdOut()
                .clearStdErr()
                .clearStdIn()
                .setScriptSha256(ByteString.EMPTY)
                .setEnvironmentSha256(ByteString.EMPTY)
                .build();
    }
}
