package dev.spur.controller.agent;

import dev.spur.controller.raft.LeaderTask;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// While leading: notices agents that fell silent. Those that have not come back yet to a new
/// leader have as long as if they had just been heard; so have all when this controller was paused
/// itself.
public final class SilenceWatch implements LeaderTask {
    private static final Logger LOG = LoggerFactory.getLogger(SilenceWatch.class);
    static final Duration EVERY = Duration.ofSeconds(2);

    private final Agents agents;
    private final InstantSource clock;
    private final ScheduledExecutorService timer;

    public SilenceWatch(Agents agents, InstantSource clock, ScheduledExecutorService timer) {
        this.agents = agents;
        this.clock = clock;
        this.timer = timer;
    }

    @Override
    public AutoCloseable lead(long epoch) {
        var watch = begin();
        var task =
                timer.scheduleWithFixedDelay(
                        () -> {
                            try {
                                watch.look();
                            } catch (RuntimeException e) {
                                LOG.atWarn().setCause(e).log("looking for silent agents failed");
                            }
                        },
                        EVERY.toMillis(),
                        EVERY.toMillis(),
                        TimeUnit.MILLISECONDS);
        return () -> {
            task.cancel(false);
            agents.disconnectAll("this controller leads no longer");
        };
    }

    Watch begin() {
        agents.begin();
        return new Watch();
    }

    /// From a beginning of leadership on.
    final class Watch {
        private Instant since = clock.instant();

        void look() {
            if (!agents.beat()) {
                since = clock.instant();
                LOG.atWarn()
                        .log("this controller was paused; nodes have their time again to answer");
            }
            agents.silent(since).forEach(node -> agents.lost(node, since));
        }
    }
}
