package dev.spur.controller.scheduling;

import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.scheduling.Decision;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.JobPhase;
import dev.spur.engine.state.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// While leading: snapshot, decide, propose the starts, again.
///
/// A change wakes it at once; changes that arrive during a pass are seen by the next one. The next
/// pass begins only when the starts of the last are applied, so no pass plans with resources that
/// are already promised. Without changes it looks again every interval: expected starts drift as
/// time passes.
public final class SchedulingLoop implements LeaderTask, EventFeed.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingLoop.class);

    /// Plans are for people to read: they are written down when they have changed noticeably.
    private static final Duration NOTICEABLE = Duration.ofSeconds(60);

    private static final Duration REMEMBER_EVERY = Duration.ofSeconds(1);

    private final ReplicatedState state;
    private final EventFeed feed;
    private final Proposals proposals;
    private final Planner planner;
    private final InstantSource clock;
    private final Executor executor;
    private final ScheduledExecutorService timer;
    private final Duration interval;

    private final AtomicBoolean awake = new AtomicBoolean();
    private volatile boolean leading;
    private boolean unapplied;
    private volatile long planned = -1;
    private Instant rememberedAt = Instant.EPOCH;

    /// Decides; [BackfillPass][dev.spur.engine.scheduling.BackfillPass] is the real one.
    @FunctionalInterface
    public interface Planner {
        List<Decision> plan(Snapshot cluster, Instant now);
    }

    /// @param executor runs one task after the other
    public SchedulingLoop(
            ReplicatedState state,
            EventFeed feed,
            Proposals proposals,
            Planner planner,
            InstantSource clock,
            Executor executor,
            ScheduledExecutorService timer,
            Duration interval) {
        this.state = state;
        this.feed = feed;
        this.proposals = proposals;
        this.planner = planner;
        this.clock = clock;
        this.executor = executor;
        this.timer = timer;
        this.interval = interval;
    }

    @Override
    public AutoCloseable lead(long epoch) {
        leading = true;
        executor.execute(() -> {
            unapplied = false;
            planned = -1;
        });
        feed.subscribe(this);
        var tick =
                timer.scheduleWithFixedDelay(
                        this::look,
                        interval.toMillis(),
                        interval.toMillis(),
                        TimeUnit.MILLISECONDS);
        return () -> {
            leading = false;
            tick.cancel(false);
            feed.unsubscribe(this);
        };
    }

    @Override
    public void changed(List<Event> events) {
        if (state.snapshot().schedulingRevision() != planned) {
            wake();
        }
    }

    @Override
    public void resync(Snapshot snapshot) {
        look();
    }

    /// Looks also if nothing changed but the time.
    private void look() {
        executor.execute(() -> planned = -1);
        wake();
    }

    private void wake() {
        if (awake.compareAndSet(false, true)) {
            executor.execute(this::pass);
        }
    }

    private void pass() {
        awake.set(false);
        var snapshot = state.snapshot();
        if (!leading || unapplied || snapshot.schedulingRevision() == planned) {
            return;
        }
        planned = snapshot.schedulingRevision();
        try {
            decide(snapshot);
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("scheduling pass failed");
        }
    }

    private void decide(Snapshot snapshot) {
        var decisions = planner.plan(snapshot, proposals.now());
        var starts = new ArrayList<Command.JobStart>();
        var notes = new ArrayList<Command.Expectation>();
        for (var decision : decisions) {
            switch (decision) {
                case Decision.Start(var job, var placement) ->
                        starts.add(new Command.JobStart(job, placement));
                case Decision.Wait wait -> {
                    if (isNews(wait, snapshot)) {
                        notes.add(
                                new Command.Expectation(
                                        wait.job(),
                                        wait.reason(),
                                        wait.expectedStart(),
                                        wait.expectedNodes()));
                    }
                }
            }
        }
        if (!starts.isEmpty()) {
            start(starts);
        }
        if (!notes.isEmpty() && !clock.instant().isBefore(rememberedAt.plus(REMEMBER_EVERY))) {
            rememberedAt = clock.instant();
            proposals.note(at -> new Command.RememberPlan(at, notes));
        }
    }

    private void start(List<Command.JobStart> starts) {
        unapplied = true;
        var _ =
                proposals
                        .propose(at -> new Command.StartJobs(at, starts))
                        .whenComplete((_, failure) ->
                                executor.execute(() -> {
                                    unapplied = false;
                                    if (failure != null) {
                                        planned =
                                                -1; // nothing started: the next look decides again
                                    } else if (state.snapshot().schedulingRevision() != planned) {
                                        wake();
                                    }
                                }));
    }

    private static boolean isNews(Decision.Wait wait, Snapshot snapshot) {
        var job = snapshot.job(wait.job()).orElse(null);
        if (job == null || !(job.phase() instanceof JobPhase.Pending pending)) {
            return false;
        }
        var before = pending.expectedStart();
        var after = wait.expectedStart();
        var moved =
                (before == null || after == null)
                        ? !Objects.equals(before, after)
                        : Duration.between(before, after).abs().compareTo(NOTICEABLE) > 0;
        return moved || !pending.reason().equals(wait.reason());
    }
}
