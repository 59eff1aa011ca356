package dev.spur.controller.scheduling;

import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.scheduling.Decision;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.JobId;
import dev.spur.model.Reason;
import dev.spur.model.hostlist.Hostlist;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What the scheduler thinks of the jobs that wait: why they do, when and where each is expected to
/// start. Derived, so it never enters the log: the leader has it, and the next one makes its own
/// within a second.
public final class Plan implements EventFeed.Listener {
    /// As far as Slurm's backfill looks by default.
    private static final Duration SOON = Duration.ofDays(1);

    private static final int MOST_KEPT_FREE = 1_000;

    private final ReplicatedState state;
    private final ConcurrentMap<JobId, Decision.Wait> waits = new ConcurrentHashMap<>();
    private final List<Consumer<Collection<JobId>>> watchers = new CopyOnWriteArrayList<>();
    private volatile @Nullable Instant lastPass;

    public Plan(ReplicatedState state) {
        this.state = state;
    }

    /// Tells of the jobs about which something new is thought, on the scheduler's thread: takes
    /// note and returns.
    public void watch(Consumer<Collection<JobId>> watcher) {
        watchers.add(watcher);
    }

    /// What is thought of a job in the queue; missing if that is not known yet, or if it does not
    /// wait there.
    public Decision.@Nullable Wait of(Job job) {
        return isQueued(job) ? waits.get(job.id()) : null;
    }

    /// Why it waits or ended so.
    public Reason reasonOf(Job job) {
        var wait = of(job);
        return wait == null ? job.reason() : wait.reason();
    }

    /// When the scheduler looked at it last (`LastSchedEval`). Every pass looks at all that wait,
    /// so one time does for them; those that have started were looked at last when they did.
    public @Nullable Instant lookedAt(Job job) {
        if (!job.isPending()) {
            return job.phase().startedAt();
        }
        var pass = lastPass;
        return pass == null || pass.isBefore(job.submittedAt()) ? null : pass;
    }

    /// A pass was made, and this is new.
    void made(Instant now, Collection<Decision> decisions) {
        lastPass = now;
        var news =
                decisions.stream()
                        .filter(Decision.Wait.class::isInstance)
                        .map(Decision.Wait.class::cast)
                        .toList();
        for (var wait : news) {
            waits.put(wait.job(), wait);
        }
        if (!news.isEmpty()) {
            var jobs = news.stream().map(Decision.Wait::job).toList();
            watchers.forEach(watcher -> watcher.accept(jobs));
        }
    }

    /// Nodes that have room but are kept for jobs that wait, as far as these are expected to start
    /// soon.
    public Set<String> keptFree(Snapshot snapshot) {
        var soon = snapshot.now().plus(SOON);
        return waits.values().stream()
                .filter(wait ->
                        wait.expectedStart() != null
                                && wait.expectedStart().isBefore(soon)
                                && !wait.expectedNodes().isEmpty())
                .limit(MOST_KEPT_FREE)
                .flatMap(wait -> Hostlist.parse(wait.expectedNodes()).hosts().stream())
                .filter(name ->
                        snapshot.node(name).filter(node -> node.usage().isIdle()).isPresent())
                .collect(Collectors.toSet());
    }

    /// Nobody plans here any more, or somebody begins to.
    void forget() {
        waits.clear();
        lastPass = null;
    }

    @Override
    public void changed(List<Event> events) {
        for (var event : events) {
            switch (event) {
                case Event.JobStarted(var job) -> keepIfQueued(job.id());
                case Event.JobChanged(var job) -> keepIfQueued(job.id());
                case Event.JobEnded(var job) -> keepIfQueued(job.id());
                case Event.JobForgotten(var id) -> waits.remove(id);
                case Event.JobSubmitted _,
                        Event.JobCompleting _,
                        Event.JobRequeued _,
                        Event.JobSuspended _,
                        Event.JobResumed _,
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
                        Event.ArrayDivided _ -> {}
            }
        }
    }

    @Override
    public void resync(Snapshot snapshot) {
        waits.keySet().removeIf(id -> snapshot.job(id).filter(Plan::isQueued).isEmpty());
    }

    /// An array record goes on waiting when one of its tasks has started.
    private void keepIfQueued(JobId id) {
        if (waits.containsKey(id) && state.snapshot().job(id).filter(Plan::isQueued).isEmpty()) {
            waits.remove(id);
        }
    }

    private static boolean isQueued(Job job) {
        return job.isPending() && job.queueing().eligibleAt() != null;
    }
}
