package dev.spur.accounting.job;

import dev.spur.accounting.access.Viewer;
import dev.spur.accounting.amount.Times;
import dev.spur.accounting.cluster.ClusterRepository;
import dev.spur.api.records.RecordFilter;
import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.ListJobHistoryReply;
import dev.spur.api.v1.ListJobHistoryRequest;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.StepRecord;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/// `sacct`: reads at one moment and hands out in parts. SQL finds few rows too many, {@link
/// RecordFilter} decides.
public final class JobHistoryListing {
    private static final int PART = 500;

    /// Whoever does not read has so much of our memory.
    private static final int PART_BYTES = 256 << 10;

    private final Jdbi jdbi;
    private final InstantSource clock;

    public JobHistoryListing(Jdbi jdbi, InstantSource clock) {
        this.jdbi = jdbi;
        this.clock = clock;
    }

    /// At least one reply, also when there are no jobs.
    public void list(
            ListJobHistoryRequest request, Viewer viewer, Consumer<ListJobHistoryReply> replies) {
        jdbi.useTransaction(handle -> {
            handle.execute("set transaction isolation level repeatable read read only");
            var clusters = new ClusterRepository(handle);
            var replied = false;
            for (var cluster : clusters.all()) {
                if (isAsked(request.getQuery(), cluster.name())) {
                    new Listing(handle, cluster, request, viewer, replies).list(clusters);
                    replied = true;
                }
            }
            if (!replied) {
                replies.accept(ListJobHistoryReply.getDefaultInstance());
            }
        });
    }

    private static boolean isAsked(RecordQuery query, String cluster) {
        return query.getClustersList().isEmpty() || query.getClustersList().contains(cluster);
    }

    private final class Listing {
        private final Handle handle;
        private final ClusterRepository.Cluster cluster;
        private final RecordQuery query;
        private final RecordFilter filter;
        private final Viewer viewer;
        private final Consumer<ListJobHistoryReply> replies;
        private final long atMost;
        private final List<JobSearch.Found> part = new ArrayList<>();
        private ListJobHistoryReply.Builder reply;
        private @Nullable Long lastJob;
        private long found;
        private int bytes;
        private int filled;
        private boolean replied;

        Listing(
                Handle handle,
                ClusterRepository.Cluster cluster,
                ListJobHistoryRequest request,
                Viewer viewer,
                Consumer<ListJobHistoryReply> replies) {
            this.handle = handle;
            this.cluster = cluster;
            this.query = request.getQuery();
            this.filter = RecordFilter.of(query, Times.micros(clock.instant()));
            this.viewer = viewer;
            this.replies = replies;
            this.atMost = request.getAtMost() == 0 ? Long.MAX_VALUE : request.getAtMost();
            this.reply = ListJobHistoryReply.newBuilder();
        }

        void list(ClusterRepository clusters) {
            reply.setCluster(cluster.name())
                    .setEntry(cluster.position().entry())
                    .setOrdinal((int) cluster.position().ordinal())
                    .addAllTres(clusters.registry(cluster.id()));
            new JobSearch(handle, cluster.id(), query, filter, viewer).each(this::take);
            if (!replied || !part.isEmpty()) {
                send();
            }
        }

        /// @return whether more are wanted
        private boolean take(JobSearch.Found job) {
            if (!viewer.sees(job.record()) || !filter.matches(job.record())) {
                return true;
            }
            // The last attempt of a job comes first.
            var isFormer = lastJob != null && lastJob == job.key().jobId();
            lastJob = job.key().jobId();
            if (isFormer && !query.getDuplicates()) {
                return true;
            }
            part.add(job);
            bytes += job.record().getSerializedSize();
            if (part.size() == PART || bytes >= PART_BYTES) {
                send();
            }
            return ++found < atMost;
        }

        private void send() {
            var steps =
                    query.getSteps()
                            ? new JobSearch(handle, cluster.id(), query, filter, viewer)
                                    .steps(part.stream().map(JobSearch.Found::key).toList())
                            : Map.<JobKey, List<StepRecord>>of();
            for (var job : part) {
                var history =
                        JobHistory.newBuilder()
                                .setJob(job.record())
                                .setCluster(cluster.name())
                                .setDbIndex(job.index());
                for (var step : steps.getOrDefault(job.key(), List.of())) {
                    if (filter.matches(job.record(), step)) {
                        history.addSteps(step);
                    }
                }
                var built = history.build();
                if (filled > 0 && filled + built.getSerializedSize() > 2 * PART_BYTES) {
                    flush();
                }
                reply.addJobs(built);
                filled += built.getSerializedSize();
            }
            flush();
            part.clear();
            bytes = 0;
        }

        private void flush() {
            replies.accept(reply.build());
            replied = true;
            filled = 0;
            reply = ListJobHistoryReply.newBuilder().setCluster(cluster.name());
        }
    }
}
