package dev.spur.controller.agent;

import dev.spur.controller.raft.LeaderTask;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// While leading: notices agents that fell silent. Those that have not come back yet to a new
/// leader have as long as if they had just been heard.
public final class SilenceWatch implements LeaderTask {
    private static final Logger LOG = LoggerFactory.getLogger(SilenceWatch.class);
    private static final Duration EVERY = Duration.ofSeconds(2);

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
        var since = clock.instant();
        var task =
                timer.scheduleWithFixedDelay(
                        () -> {
                            try {
                                agents.silent(since).forEach(agents::lost);
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
}
