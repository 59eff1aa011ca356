package dev.spur.controller.scheduling;

import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.scheduling.Decision;
import dev.spur.engine.scheduling.StartCommands;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
///
/// When starts could not be recorded, the log is busy or lost: it pauses, longer each time, before
/// it decides again.
public final class SchedulingLoop implements LeaderTask, EventFeed.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingLoop.class);

    /// Without any change, expected starts still drift as time passes.
    private static final Duration PLAN_AT_LEAST_EVERY = Duration.ofSeconds(30);

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final ReplicatedState state;
    private final EventFeed feed;
    private final Proposals proposals;
    private final Planner planner;
    private final Plan plan;
    private final Executor executor;
    private final ScheduledExecutorService timer;
    private final Duration interval;

    private final AtomicBoolean awake = new AtomicBoolean();
    private volatile boolean leading;
    private volatile long seen = -1;
    private boolean unapplied;
    private boolean pausing;
    private int failures;

    /// Counts the times it led, so that nothing of an earlier time ends a pause of this one.
    private int reign;

    private boolean planDue;
    private long planned = -1;
    private Instant plannedAt = Instant.EPOCH;

    /// Decides; [BackfillPass][dev.spur.engine.scheduling.BackfillPass] is the real one.
    public interface Planner {
        /// What fits now, in order.
        List<Decision> startNow(Snapshot cluster, Instant now);

        /// Everything: also what is new about those who wait.
        List<Decision> plan(Snapshot cluster, Instant now);

        /// What it told before is forgotten: the next plan tells all of it.
        void tellAgain();

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

                @Override
                public void tellAgain() {
                    pass.tellAgain();
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
            Plan plan,
            Executor executor,
            ScheduledExecutorService timer,
            Duration interval) {
        this.state = state;
        this.feed = feed;
        this.proposals = proposals;
        this.planner = planner;
        this.plan = plan;
        this.executor = executor;
        this.timer = timer;
        this.interval = interval;
    }

    @Override
    public AutoCloseable lead(long epoch) {
        leading = true;
        executor.execute(() -> {
            reign++;
            unapplied = false;
            pausing = false;
            failures = 0;
            planDue = true;
            seen = -1;
            planned = -1;
            plan.forget();
            planner.tellAgain();
        });
        feed.subscribe(this);
        feed.subscribe(plan);
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
            feed.unsubscribe(plan);
            executor.execute(plan::forget);
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
        if (!leading || unapplied || pausing) {
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
            pause();
        }
    }

    private boolean needsPlan(Snapshot snapshot) {
        return snapshot.schedulingRevision() != planned
                || !proposals.now().isBefore(plannedAt.plus(PLAN_AT_LEAST_EVERY));
    }

    private void carryOut(List<Decision> decisions, Snapshot snapshot) {
        plan.made(proposals.now(), decisions);
        var proposed = new ArrayList<CompletableFuture<?>>();
        for (var command : StartCommands.of(snapshot, decisions, snapshot.now())) {
            proposed.add(proposals.propose(at -> new Command.StartJobs(at, command.starts())));
        }
        if (!proposed.isEmpty()) {
            unapplied = true;
            var during = reign;
            var _ =
                    CompletableFuture.allOf(proposed.toArray(CompletableFuture[]::new))
                            .whenComplete((_, failure) ->
                                    executor.execute(() -> applied(failure, during)));
        }
    }

    private void applied(@Nullable Throwable failure, int during) {
        if (during != reign) {
            return;
        }
        unapplied = false;
        if (failure != null) {
            LOG.atWarn()
                    .addKeyValue("failure", cause(failure).getMessage())
                    .log("starts were not recorded; they are decided again after a pause");
            pause();
            return;
        }
        failures = 0;
        if (planDue || state.snapshot().schedulingRevision() != seen) {
            wake();
        }
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException wrapped && wrapped.getCause() != null
                ? wrapped.getCause()
                : failure;
    }

    private void pause() {
        pausing = true;
        var during = reign;
        var longer = SHORTEST_PAUSE.multipliedBy(1L << Math.min(failures++, 16));
        var pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
        var _ =
                timer.schedule(
                        () -> executor.execute(() -> goOn(during)),
                        pause.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    private void goOn(int during) {
        if (during == reign) {
            pausing = false;
            seen = -1; // what was decided did not take place
            planned = -1;
            wake();
        }
    }
}
