package dev.spur.controller.watch;

import dev.spur.api.v1.WatchReply;
import dev.spur.api.v1.WatchRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.Failures;
import dev.spur.controller.job.JobQuery;
import dev.spur.controller.raft.BusyException;
import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.scheduling.Plan;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everybody who watches the cluster. Of each it remembers which event it has been told of and what
/// it wants to hear, and nothing of what it has not been told yet: that is read when the watcher is
/// ready for it and its pause is over, from the ring of events or, if that has gone on, from the
/// state as it is. So a slow one costs no more than a quick one.
///
/// One after the other is told, in rounds, and after each round everybody rests for three times as
/// long as it took: all watchers together cost a quarter of a processor at most, and hear less
/// often when there are many of them.
public final class Watches implements EventFeed.Listener, LeaderTask {
    private static final Logger LOG = LoggerFactory.getLogger(Watches.class);
    private static final int MOST = 4_000;
    private static final int MOST_OF_OPERATOR = 2_000;
    private static final int MOST_OF_USER = 50;
    private static final int PLAN_NEWS = 1 << 15;
    private static final int REST = 3;
    private static final Duration SHORTEST_REST = Duration.ofMillis(20);
    private static final Duration LONGEST_REST = Duration.ofSeconds(5);

    /// Whose rights were looked at so long ago comes again: his certificate or token may be worth
    /// nothing any more.
    private static final Duration LASTS = Duration.ofMinutes(30);

    private final ReplicatedState state;
    private final Rows rows;
    private final InstantSource clock;
    private final Executor telling;
    private final ScheduledExecutorService timer;
    private final PlanNews plan = new PlanNews(PLAN_NEWS);
    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
    private final Map<Integer, Integer> ofUser = new ConcurrentHashMap<>();
    private final AtomicBoolean due = new AtomicBoolean();
    private volatile String planner = "";

    /// @param telling runs what may take a while
    public Watches(
            ReplicatedState state,
            Rows rows,
            Plan plan,
            InstantSource clock,
            Executor telling,
            ScheduledExecutorService timer) {
        this.state = state;
        this.rows = rows;
        this.clock = clock;
        this.telling = telling;
        this.timer = timer;
        plan.watch(this::planned);
    }

    @Override
    public AutoCloseable lead(long epoch) {
        planner = Long.toString(epoch);
        return () -> {
            planner = "";
            watchers.forEach(
                    watcher -> end(watcher, new BusyException("this controller no longer leads")));
        };
    }

    public void watch(
            WatchRequest request,
            Caller.Person caller,
            ServerCallStreamObserver<WatchReply> replies) {
        var query = JobQuery.of(request, caller.actor().uid());
        var watcher =
                new Watcher(
                        new Watcher.Wish(request, query, caller),
                        replies,
                        rows,
                        Cursor.parse(request.getCursor()),
                        clock.instant().plus(LASTS));
        enter(watcher, caller);
        replies.setOnCancelHandler(() -> leave(watcher));
        replies.setOnCloseHandler(() -> leave(watcher));
        replies.setOnReadyHandler(this::wake);
        wake();
    }

    private synchronized void enter(Watcher watcher, Caller.Person caller) {
        var most = caller.isAtLeast(Role.OPERATOR) ? MOST_OF_OPERATOR : MOST_OF_USER;
        var has = ofUser.getOrDefault(caller.actor().uid(), 0);
        if (has >= most) {
            throw new SpurException(
                    ErrorCode.LIMIT_REACHED,
                    "you watch %d times already, the most for one user. End one of them"
                            .formatted(has));
        }
        if (watchers.size() >= MOST) {
            throw new BusyException(
                    "%d watch already, the most for one controller; try again later"
                            .formatted(watchers.size()));
        }
        ofUser.merge(caller.actor().uid(), 1, Integer::sum);
        watchers.add(watcher);
    }

    private synchronized void leave(Watcher watcher) {
        if (watchers.remove(watcher)) {
            ofUser.computeIfPresent(
                    watcher.uid(), (_, count) -> count == 1 ? null : Integer.valueOf(count - 1));
        }
    }

    /// How many there are.
    public int count() {
        return watchers.size();
    }

    @Override
    public void changed(List<Event> events) {
        wake();
    }

    @Override
    public void resync(Snapshot snapshot) {
        wake();
    }

    private void planned(Collection<JobId> jobs) {
        plan.add(jobs);
        wake();
    }

    private void wake() {
        if (!watchers.isEmpty() && due.compareAndSet(false, true)) {
            run();
        }
    }

    private void run() {
        try {
            telling.execute(this::round);
        } catch (RejectedExecutionException e) {
            due.set(false); // the controller is stopping
        }
    }

    /// Tells everybody whose turn it is. `due` stays set until the rest is over, so there is one
    /// round at a time and what happens meanwhile is told in the next.
    private void round() {
        var began = clock.instant();
        var next = LONGEST_REST;
        var isMore = false;
        for (var watcher : watchers) {
            var waits = tell(watcher, began);
            if (waits != null) {
                isMore = true;
                next = waits.compareTo(next) < 0 ? waits : next;
            }
        }
        var rest = Duration.between(began, clock.instant()).multipliedBy(REST);
        var pause = isMore && next.compareTo(rest) > 0 ? next : rest;
        var isAgain = isMore;
        pause = clamp(pause);
        try {
            var _ =
                    timer.schedule(
                            () -> {
                                due.set(false);
                                if (isAgain || isAnybodyBehind()) {
                                    wake();
                                }
                            },
                            pause.toMillis(),
                            TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            due.set(false);
        }
    }

    private static Duration clamp(Duration pause) {
        return pause.compareTo(SHORTEST_REST) < 0
                ? SHORTEST_REST
                : pause.compareTo(LONGEST_REST) > 0 ? LONGEST_REST : pause;
    }

    private boolean isAnybodyBehind() {
        return watchers.stream()
                .anyMatch(watcher -> watcher.isBehind(state, plan) && watcher.isReady());
    }

    /// After how long it can be told more; null: when it or the cluster has news.
    private @Nullable Duration tell(Watcher watcher, Instant now) {
        try {
            if (watcher.isOver(now)) {
                end(watcher, new BusyException("come again: who may see what is looked up anew"));
                return null;
            }
            return watcher.tell(state, plan, planner, now);
        } catch (RuntimeException e) {
            LOG.atDebug().addKeyValue("uid", watcher.uid()).setCause(e).log("a watcher was lost");
            end(watcher, e);
            return null;
        }
    }

    private void end(Watcher watcher, RuntimeException why) {
        leave(watcher);
        try {
            watcher.end(Failures.toStatus(why));
        } catch (RuntimeException e) {
            LOG.atDebug().addKeyValue("uid", watcher.uid()).setCause(e).log("it had gone already");
        }
    }
}
