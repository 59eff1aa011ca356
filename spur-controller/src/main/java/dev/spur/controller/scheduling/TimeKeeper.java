package dev.spur.controller.scheduling;

import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// While leading: tells the state that time has passed, when something waits for that and not
/// otherwise.
public final class TimeKeeper implements LeaderTask, EventFeed.Listener {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final ReplicatedState state;
    private final EventFeed feed;
    private final Proposals proposals;
    private final InstantSource clock;
    private final ScheduledExecutorService timer;
    private boolean leading;
    private @Nullable Instant rings;
    private @Nullable ScheduledFuture<?> alarm;

    public TimeKeeper(
            ReplicatedState state,
            EventFeed feed,
            Proposals proposals,
            InstantSource clock,
            ScheduledExecutorService timer) {
        this.state = state;
        this.feed = feed;
        this.proposals = proposals;
        this.clock = clock;
        this.timer = timer;
    }

    @Override
    public AutoCloseable lead(long epoch) {
        synchronized (this) {
            leading = true;
            rings = null;
        }
        proposals.note(
                Command.LeaderTookOver::new); // in the log before any alarm that rings from now on
        feed.subscribe(this);
        return () -> {
            feed.unsubscribe(this);
            stop();
        };
    }

    @Override
    public void changed(List<Event> events) {
        set();
    }

    @Override
    public void resync(Snapshot snapshot) {
        set();
    }

    private synchronized void stop() {
        leading = false;
        if (alarm != null) {
            alarm.cancel(false);
        }
    }

    private synchronized void set() {
        var next = state.snapshot().nextAlarm();
        if (!leading || next == null || (rings != null && !next.isBefore(rings))) {
            return;
        }
        if (alarm != null) {
            alarm.cancel(false);
        }
        rings = next;
        var delay = Duration.between(clock.instant(), next);
        delay =
                delay.compareTo(LONGEST) > 0
                        ? LONGEST
                        : delay.compareTo(SHORTEST) < 0 ? SHORTEST : delay;
        alarm = timer.schedule(this::ring, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void ring() {
        var next = state.snapshot().nextAlarm();
        synchronized (this) {
            rings = null;
            if (!leading) {
                return;
            }
        }
        if (next != null && !next.isAfter(clock.instant())) {
            var _ = proposals.propose(Command.AdvanceTime::new).whenComplete((_, _) -> set());
        } else {
            set();
        }
    }
}
