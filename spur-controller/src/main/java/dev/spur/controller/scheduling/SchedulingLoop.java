package dev.spur.controller.scheduling;

import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.scheduling.Decision;
import dev.spur.engine.scheduling.PlanCommands;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// While leading: snapshot, decide, propose the starts, again.
///
/// A change wakes it at once and starts what fits; changes that arrive meanwhile are seen by the
/// next pass, which begins only when the starts of the last are applied, so no pass plans with
/// resources that are already promised. Once an interval, if something changed, the whole plan is
/// made: who waits for what, and until when.
public final class SchedulingLoop implements LeaderTask, EventFeed.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingLoop.class);

    /// Without any change, expected starts still drift as time passes.
    private static final Duration PLAN_AT_LEAST_EVERY = Duration.ofSeconds(30);

    private final ReplicatedState state;
    private final EventFeed feed;
    private final Proposals proposals;
    private final Planner planner;
    private final LastPass lastPass;
    private final Executor executor;
    private final ScheduledExecutorService timer;
    private final Duration interval;

    private final AtomicBoolean awake = new AtomicBoolean();
    private volatile boolean leading;
    private volatile long seen = -1;
    private boolean unapplied;
    private boolean planDue;
    private long planned = -1;
    private Instant plannedAt = Instant.EPOCH;

    /// Decides; [BackfillPass][dev.spur.engine.scheduling.BackfillPass] is the real one.
    public interface Planner {
        /// What fits now, in order.
        List<Decision> startNow(Snapshot cluster, Instant now);

        /// Everything: also what is new about those who wait.
        List<Decision> plan(Snapshot cluster, Instant now);

        static Planner of(BackfillPass pass) {
            return new Planner() {
                @Override
                public List<Decision> startNow(Snapshot cluster, Instant now) {
                    return pass.startNow(cluster, now);
                }

                @Override
                public List<Decision> plan(Snapshot cluster, Instant now) {
                    return pass.plan(cluster, now);
                }
            };
        }
    }

    /// @param executor runs one task after the other
    public SchedulingLoop(
            ReplicatedState state,
            EventFeed feed,
            Proposals proposals,
            Planner planner,
            LastPass lastPass,
            Executor executor,
            ScheduledExecutorService timer,
            Duration interval) {
        this.state = state;
        this.feed = feed;
        this.proposals = proposals;
        this.planner = planner;
        this.lastPass = lastPass;
        this.executor = executor;
        this.timer = timer;
        this.interval = interval;
    }

    @Override
    public AutoCloseable lead(long epoch) {
        leading = true;
        executor.execute(() -> {
            unapplied = false;
            planDue = true;
            seen = -1;
            planned = -1;
        });
        feed.subscribe(this);
        var tick =
                timer.scheduleWithFixedDelay(
                        this::tick,
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
        if (state.snapshot().schedulingRevision() != seen) {
            wake();
        }
    }

    @Override
    public void resync(Snapshot snapshot) {
        wake();
    }

    private void tick() {
        executor.execute(() -> planDue = true);
        wake();
    }

    private void wake() {
        if (leading && awake.compareAndSet(false, true)) {
            executor.execute(this::pass);
        }
    }

    private void pass() {
        awake.set(false);
        if (!leading || unapplied) {
            return;
        }
        var snapshot = state.snapshot();
        if (snapshot.jobs().isEmpty()) {
            seen = snapshot.schedulingRevision(); // 10,000 nodes that register need no plan each
            return;
        }
        try {
            if (planDue && needsPlan(snapshot)) {
                planDue = false;
                planned = snapshot.schedulingRevision();
                plannedAt = proposals.now();
                seen = planned;
                carryOut(planner.plan(snapshot, plannedAt), snapshot);
            } else if (snapshot.schedulingRevision() != seen) {
                seen = snapshot.schedulingRevision();
                carryOut(planner.startNow(snapshot, proposals.now()), snapshot);
            }
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("scheduling pass failed");
        }
    }

    private boolean needsPlan(Snapshot snapshot) {
        return snapshot.schedulingRevision() != planned
                || !proposals.now().isBefore(plannedAt.plus(PLAN_AT_LEAST_EVERY));
    }

    private void carryOut(List<Decision> decisions, Snapshot snapshot) {
        lastPass.was(proposals.now());
        for (var command : PlanCommands.of(snapshot, decisions, snapshot.now())) {
            if (command instanceof Command.StartJobs(_, var starts)) {
                start(starts);
            } else if (command instanceof Command.RememberPlan(_, var jobs)) {
                proposals.note(at -> new Command.RememberPlan(at, jobs));
            }
        }
    }

    private void start(List<Command.JobStart> starts) {
        unapplied = true;
        var _ =
                proposals
                        .propose(at -> new Command.StartJobs(at, starts))
                        .whenComplete((_, failure) -> executor.execute(() -> applied(failure)));
    }

    private void applied(@Nullable Throwable failure) {
        unapplied = false;
        if (failure != null) {
            seen = -1; // nothing started: the next pass decides again
        }
        if (planDue || state.snapshot().schedulingRevision() != seen) {
            wake();
        }
    }
}
