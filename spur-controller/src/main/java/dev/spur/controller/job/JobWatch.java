package dev.spur.controller.job;

import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.JobUpdate;
import dev.spur.api.v1.WatchJobRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.scheduling.LastPass;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.ArrayLedger;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Job;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// Tells whoever waits for a job (`srun`, `salloc`, `sbatch --wait`) how it fares, the moment it
/// changes. One listener for all: an event costs a look into a map, however many watch.
public final class JobWatch implements EventFeed.Listener {
    private final ReplicatedState state;
    private final Visibility visibility;
    private final InstantSource clock;
    private final IntFunction<String> groupNames;
    private final LastPass lastPass;
    private final ConcurrentMap<JobId, List<Watcher>> watchers = new ConcurrentHashMap<>();

    public JobWatch(
            ReplicatedState state,
            Visibility visibility,
            InstantSource clock,
            IntFunction<String> groupNames,
            LastPass lastPass) {
        this.state = state;
        this.visibility = visibility;
        this.clock = clock;
        this.groupNames = groupNames;
        this.lastPass = lastPass;
    }

    public void watch(
            WatchJobRequest request,
            Caller.Person caller,
            ServerCallStreamObserver<JobUpdate> updates) {
        var id = JobId.of(Integer.toUnsignedLong(request.getJobId()));
        var watcher = new Watcher(id, request.getIncludeArrayTasks(), caller, updates);
        watchers.compute(
                id,
                (_, all) -> {
                    var more = all == null ? new CopyOnWriteArrayList<Watcher>() : all;
                    more.add(watcher);
                    return more;
                });
        updates.setOnCancelHandler(() -> forget(watcher));
        updates.setOnCloseHandler(() -> forget(watcher));
        var job = state.snapshot().job(id);
        if (job.isEmpty() || visibility.of(job.get(), caller) == Visibility.Sight.NOTHING) {
            forget(watcher);
            throw SpurErrors.of(ErrorCode.INVALID_JOB);
        }
        watcher.tell(job.get());
    }

    @Override
    public void changed(List<Event> events) {
        if (watchers.isEmpty()) {
            return;
        }
        for (var event : events) {
            var job = jobOf(event);
            if (job != null) {
                tell(job.id(), job);
                var array = job.array();
                if (array != null && !array.array().equals(job.id())) {
                    tell(array.array(), job);
                }
            } else if (event instanceof Event.JobForgotten(var id)) {
                watchers.getOrDefault(id, List.of()).forEach(Watcher::finish);
            }
        }
    }

    @Override
    public void resync(Snapshot snapshot) {
        watchers.forEach((id, all) ->
                snapshot.job(id)
                        .ifPresentOrElse(
                                job -> all.forEach(watcher -> watcher.tell(job)),
                                () -> all.forEach(Watcher::finish)));
    }

    private void tell(JobId watched, Job job) {
        for (var watcher : watchers.getOrDefault(watched, List.of())) {
            if (watcher.tasksToo || job.id().equals(watched)) {
                watcher.tell(job);
            }
        }
    }

    private void forget(Watcher watcher) {
        watchers.computeIfPresent(
                watcher.id,
                (_, all) -> {
                    all.remove(watcher);
                    return all.isEmpty() ? null : all;
                });
    }

    private static @Nullable Job jobOf(Event event) {
        return switch (event) {
            case Event.JobSubmitted(var job) -> job;
            case Event.JobStarted(var job) -> job;
            case Event.JobChanged(var job) -> job;
            case Event.JobCompleting(var job) -> job;
            case Event.JobEnded(var job) -> job;
            case Event.JobRequeued(var job) -> job;
            case Event.JobSuspended(var job) -> job;
            case Event.JobResumed(var job) -> job;
            case Event.JobForgotten _,
                    Event.StepCreated _,
                    Event.StepCancelled _,
                    Event.StepEndedOn _,
                    Event.StepFinished _,
                    Event.NodeChanged _,
                    Event.ConfigApplied _,
                    Event.CredentialsChanged _ ->
                    null;
        };
    }

    private final class Watcher {
        private final JobId id;
        private final boolean tasksToo;
        private final Caller.Person caller;
        private final ServerCallStreamObserver<JobUpdate> updates;
        private boolean finished;

        Watcher(
                JobId id,
                boolean tasksToo,
                Caller.Person caller,
                ServerCallStreamObserver<JobUpdate> updates) {
            this.id = id;
            this.tasksToo = tasksToo;
            this.caller = caller;
            this.updates = updates;
        }

        synchronized void tell(Job job) {
            if (finished || updates.isCancelled()) {
                return;
            }
            var snapshot = state.snapshot();
            var view =
                    new JobView(
                                    snapshot,
                                    clock.instant(),
                                    JobDetail.JOB_DETAIL_FULL,
                                    groupNames,
                                    lastPass)
                            .of(job, visibility.of(job, caller));
            var ended =
                    job.isEnded()
                            && (!tasksToo
                                    || snapshot.array(id).map(ArrayLedger::isEnded).orElse(true));
            updates.onNext(JobUpdate.newBuilder().setJob(view).setEnded(ended).build());
            if (ended) {
                finish();
            }
        }

        synchronized void finish() {
            if (!finished && !updates.isCancelled()) {
                finished = true;
                updates.onCompleted();
            }
        }
    }
}
