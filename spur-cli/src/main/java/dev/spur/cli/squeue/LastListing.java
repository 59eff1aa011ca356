package dev.spur.cli.squeue;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.WatchReply;
import dev.spur.api.v1.WatchRequest;
import dev.spur.cli.submission.JobWatch;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What `squeue --iterate` printed last. A watch tells whether anything has changed since; as long
/// as nothing has, the controller is not asked again and only times go on.
final class LastListing implements AutoCloseable {
    /// Priorities grow without any news.
    private static final Duration ASKED_AT_LEAST_EVERY = Duration.ofSeconds(30);

    private final ControllerClient client;
    private final InstantSource clock;
    private final Thread watcher;
    private final AtomicBoolean isNews = new AtomicBoolean(true);
    private volatile boolean isWatched;
    private @Nullable Rows rows;

    /// @param nowMicros by the controller's clock
    record Rows(List<Job> jobs, long nowMicros, long atMillis) {
        Rows {
            jobs = List.copyOf(jobs);
        }

        /// The same some time later.
        Rows after(long millis) {
            var later =
                    jobs.stream()
                            .map(job ->
                                    job.getState().equals("RUNNING")
                                            ? job.toBuilder()
                                                    .setRunSeconds(
                                                            job.getRunSeconds() + millis / 1000)
                                                    .build()
                                            : job)
                            .toList();
            return new Rows(later, nowMicros + millis * 1000, atMillis);
        }
    }

    /// @param request the listing: its users and partitions narrow the watch
    LastListing(ControllerClient client, ListJobsRequest request, InstantSource clock) {
        this.client = client;
        this.clock = clock;
        var watch =
                WatchRequest.newBuilder()
                        .setJobs(true)
                        .setPlan(true)
                        .setSignalOnly(true)
                        .addAllUsers(request.getUsersList())
                        .addAllPartitionsOfJobs(request.getPartitionsList())
                        .build();
        watcher = Thread.startVirtualThread(() -> follow(watch));
    }

    private void follow(WatchRequest watch) {
        do {
            try {
                client.<WatchReply>each(
                        stub -> stub.watch(watch),
                        _ -> {
                            isWatched = true;
                            isNews.set(true);
                        });
            } catch (ControllerException lost) {
                // asked as often as it is printed, until the watch is there again
            }
            isWatched = false;
        } while (JobWatch.rested());
    }

    /// What was printed last, as it is now, or what there is to print now if that is another.
    Rows unchanged(Supplier<Rows> asked) {
        var known = rows;
        var isNew = isNews.getAndSet(false); // before it is asked: what comes then is news again
        var age = known == null ? 0 : clock.millis() - known.atMillis();
        if (known != null && isWatched && !isNew && age < ASKED_AT_LEAST_EVERY.toMillis()) {
            return known.after(age);
        }
        var told = asked.get();
        rows = told;
        return told;
    }

    @Override
    public void close() {
        watcher.interrupt();
    }
}
