package dev.spur.controller.job;

import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.JobUpdate;
import dev.spur.api.v1.WatchJobRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.Failures;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.scheduling.Plan;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.array.ArrayLedger;
import dev.spur.engine.job.Job;
import dev.spur.engine.scheduling.Decision;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells whoever waits for a job (`srun`, `salloc`, `sbatch --wait`) how it fares, the moment it
/// changes. One listener for all: an event costs a look into a map, however many watch.
///
/// An event only notes that there is something to tell. What is told is the job as it is when the
/// watcher is ready for it: nothing is ever told that is older than what was told before, and
/// whoever reads slowly hears less often, not more at once.
public final class JobWatch implements EventFeed.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(JobWatch.class);

    private final ReplicatedState state;
    private final Visibility visibility;
    private final InstantSource clock;
    private final IntFunction<String> groupNames;
    private final Plan plan;
    private final Executor telling;
    private final ConcurrentMap<JobId, List<Watcher>> watchers = new ConcurrentHashMap<>();

    /// Tasks of an array that wait to be told; with more of them the watcher is told all there are
    /// instead.
    private static final int MOST_NOTED = 1_000;

    /// @param telling runs what may take a while; not the thread that brings events
    public JobWatch(
            ReplicatedState state,
            Visibility visibility,
            InstantSource clock,
            IntFunction<String> groupNames,
            Plan plan,
            Executor telling) {
        this.telling = telling;
        this.state = state;
        this.visibility = visibility;
        this.clock = clock;
        this.groupNames = groupNames;
        this.plan = plan;
        plan.watch(this::planned);
    }

    public void watch(
            WatchJobRequest request,
            Caller.Person caller,
            ServerCallStreamObserver<JobUpdate> updates) {
        var id = JobId.of(Integer.toUnsignedLong(request.getJobId()));
        var snapshot = state.snapshot();
        var tasksToo = request.getIncludeArrayTasks() && snapshot.array(id).isPresent();
        var job = snapshot.job(id);
        if (job.isEmpty() && tasksToo) {
            job = tasksOf(id, snapshot).stream().findFirst();
        }
        if (job.isEmpty() || visibility.of(job.get(), caller) == Visibility.Sight.NOTHING) {
            throw SpurErrors.of(ErrorCode.INVALID_JOB);
        }
        var watcher = new Watcher(id, tasksToo, caller, updates);
        updates.setOnCancelHandler(() -> forget(watcher));
        updates.setOnCloseHandler(() -> forget(watcher));
        updates.setOnReadyHandler(watcher::go);
        watchers.compute(
                id,
                (_, all) -> {
                    var more = all == null ? new CopyOnWriteArrayList<Watcher>() : all;
                    more.add(watcher);
                    return more;
                });
        watcher.noteAll();
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
                watchers.getOrDefault(id, List.of()).forEach(Watcher::noteForgotten);
            }
        }
    }

    /// Also what the scheduler expects of a job is news.
    private void planned(Collection<JobId> jobs) {
        if (watchers.isEmpty()) {
            return;
        }
        var snapshot = state.snapshot();
        for (var id : jobs) {
            if (watchers.containsKey(id)) {
                snapshot.job(id).ifPresent(job -> tell(id, job));
            }
        }
    }

    @Override
    public void resync(Snapshot snapshot) {
        watchers.forEach((id, all) -> {
            var isGone = snapshot.job(id).isEmpty();
            var isArrayGone = isGone && snapshot.array(id).isEmpty();
            for (var watcher : all) {
                if (watcher.tasksToo ? isArrayGone : isGone) {
                    watcher.noteEnd();
                } else {
                    watcher.noteAll();
                }
            }
        });
    }

    private void tell(JobId watched, Job job) {
        for (var watcher : watchers.getOrDefault(watched, List.of())) {
            if (watcher.tasksToo || job.id().equals(watched)) {
                watcher.note(job);
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

    /// All records of the array but the one that has its id.
    private static List<Job> tasksOf(JobId id, Snapshot snapshot) {
        var tasks = new ArrayList<Job>();
        for (var job : snapshot.jobs()) {
            var array = job.array();
            if (array != null && array.array().equals(id) && !job.id().equals(id)) {
                tasks.add(job);
            }
        }
        return tasks;
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
                    Event.AccountsChanged _,
                    Event.PartitionChanged _,
                    Event.PartitionRemoved _,
                    Event.ReservationChanged _,
                    Event.ReservationRemoved _,
                    Event.CredentialsChanged _,
                    Event.ArrayDivided _ ->
                    null;
        };
    }

    private final class Watcher {
        private final JobId id;

        /// Whether it is an array, of which every task is told.
        private final boolean tasksToo;

        private final Caller.Person caller;
        private final ServerCallStreamObserver<JobUpdate> updates;

        /// What changed since it was told, as the events had it: a job may be forgotten before a
        /// slow watcher hears of its end.
        private final SequencedMap<JobId, Job> noted = new LinkedHashMap<>();

        private boolean everything;
        private boolean isGone;
        private boolean isTelling;

        /// Touched only by whoever tells.
        private @Nullable Job told;

        private Decision.@Nullable Wait toldPlan;

        /// Tasks of the array whose end was told, and whether those of which no event has come yet
        /// were looked for: the state may know the end of all before the events tell of each.
        private final Set<JobId> toldEnds = new HashSet<>();

        private boolean hasLookedForOthers;

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

        void note(Job job) {
            synchronized (this) {
                noted.put(job.id(), job);
                if (noted.size() > MOST_NOTED) {
                    noted.clear();
                    everything = true;
                }
            }
            go();
        }

        void noteAll() {
            synchronized (this) {
                everything = true;
            }
            go();
        }

        /// The record that has an array's id is that of one of its tasks: others may go on.
        void noteForgotten() {
            if (!tasksToo) {
                noteEnd();
            }
        }

        /// The job is no longer known: nothing can follow what was noted.
        void noteEnd() {
            synchronized (this) {
                isGone = true;
            }
            go();
        }

        /// Tells what there is, in one thread at a time.
        void go() {
            synchronized (this) {
                if (isTelling) {
                    return;
                }
                isTelling = true;
            }
            telling.execute(this::tellWhileReady);
        }

        private void tellWhileReady() {
            try {
                do {
                    noteCurrent();
                } while (tellNext());
            } catch (RuntimeException e) {
                forget(this);
                hangUp(e);
            }
        }

        /// Whoever waits for more would wait for ever; a call that has ended needs no end.
        private void hangUp(RuntimeException why) {
            try {
                updates.onError(Failures.toStatus(why));
            } catch (RuntimeException e) {
                LOG.atDebug().addKeyValue("job", id).setCause(e).log("a watcher was lost");
            }
        }

        private void noteCurrent() {
            synchronized (this) {
                if (!everything || !updates.isReady()) {
                    return;
                }
                everything = false;
            }
            var all = current();
            synchronized (this) {
                all.forEach(job -> noted.put(job.id(), job));
                isGone |= all.isEmpty(); // forgotten, perhaps before it could be watched
            }
        }

        /// False if there is nothing to tell or the watcher is not ready: then nobody tells until
        /// [#go] says so again.
        private boolean tellNext() {
            Job job;
            synchronized (this) {
                if (noted.isEmpty() && isGone && !everything) {
                    updates.onCompleted(); // and isTelling stays: it was the last word
                    return false;
                }
                if (everything && updates.isReady()) {
                    return true;
                }
                if (noted.isEmpty() || !updates.isReady()) {
                    isTelling = false;
                    return false;
                }
                job = noted.pollFirstEntry().getValue();
            }
            tell(job);
            return true;
        }

        private List<Job> current() {
            var snapshot = state.snapshot();
            var all = tasksToo ? tasksOf(id, snapshot) : new ArrayList<Job>();
            snapshot.job(id).ifPresent(all::addFirst);
            return all;
        }

        private void tell(Job event) {
            var snapshot = state.snapshot();
            var job = snapshot.job(event.id()).orElse(event);
            var isLast = isLast(job, snapshot);
            var expected = plan.of(job);
            if (job == told && expected == toldPlan && !isLast) {
                return;
            }
            told = job;
            toldPlan = expected;
            var view =
                    new JobView(
                                    snapshot,
                                    clock.instant(),
                                    JobDetail.JOB_DETAIL_FULL,
                                    groupNames,
                                    plan)
                            .of(job, visibility.of(job, caller));
            updates.onNext(JobUpdate.newBuilder().setJob(view).setEnded(isLast).build());
            if (isLast) {
                synchronized (this) {
                    noted.clear();
                    everything = false;
                    isGone = true;
                }
            }
        }

        private boolean isLast(Job job, Snapshot snapshot) {
            if (!job.isEnded() || !tasksToo) {
                return job.isEnded();
            }
            toldEnds.add(job.id());
            if (hasMore() || !snapshot.array(id).map(ArrayLedger::isEnded).orElse(true)) {
                return false;
            }
            if (!hasLookedForOthers) {
                hasLookedForOthers = true;
                noteOthers();
            }
            return !hasMore();
        }

        private synchronized boolean hasMore() {
            return everything || !noted.isEmpty();
        }

        private void noteOthers() {
            var all = current();
            synchronized (this) {
                all.stream()
                        .filter(job -> !toldEnds.contains(job.id()))
                        .forEach(job -> noted.put(job.id(), job));
            }
        }
    }
}
