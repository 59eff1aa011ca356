package dev.spur.controller.state;

import dev.spur.controller.raft.ReplicatedLog;
import dev.spur.controller.raft.UnknownOutcomeException;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The one way to change the cluster. Stamps commands with a time that never goes back, whatever
/// the clock does and whoever led before, in the order in which they enter the log.
public final class Proposals {
    private static final Logger LOG = LoggerFactory.getLogger(Proposals.class);
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ReplicatedLog<Proposal, Result> log;
    private final ReplicatedState state;
    private final InstantSource clock;
    private final Patience patience = new Patience(PATIENCE);
    private Instant last = Instant.EPOCH;

    public Proposals(
            ReplicatedLog<Proposal, Result> log, ReplicatedState state, InstantSource clock) {
        this.log = log;
        this.state = state;
        this.clock = clock;
    }

    public CompletableFuture<Result> propose(Function<Instant, Command> command) {
        return propose(command, List.of());
    }

    public CompletableFuture<Result> propose(
            Function<Instant, Command> command, List<Proposal.Blob> blobs) {
        return log.proposeInTurn(() -> new Proposal(command.apply(stamp()), blobs));
    }

    private synchronized Instant stamp() {
        last = now();
        return last;
    }

    /// As [#decide], without waiting: for answers that somebody waits for elsewhere.
    public CompletableFuture<Result> deciding(Function<Instant, Command> command) {
        return deciding(command, List.of());
    }

    public CompletableFuture<Result> deciding(
            Function<Instant, Command> command, List<Proposal.Blob> blobs) {
        return patience.with(propose(command, blobs));
    }

    /// Ends the waiting of those who were promised an answer and have none, for as long as the
    /// timer runs.
    public void keepPatience(ScheduledExecutorService timer) {
        var every = Patience.LOOK_EVERY.toMillis();
        var _ = timer.scheduleWithFixedDelay(patience::look, every, every, TimeUnit.MILLISECONDS);
    }

    /// Proposes without waiting: whoever says this will say it again if it is still true.
    public void note(Function<Instant, Command> command) {
        var _ =
                propose(command)
                        .exceptionally(failure -> {
                            LOG.atDebug().setCause(failure).log("a note was not recorded");
                            return new Result.Ignored("not recorded");
                        });
    }

    /// Proposes and waits; for virtual threads.
    public Result decide(Function<Instant, Command> command) {
        return decide(command, List.of());
    }

    public Result decide(Function<Instant, Command> command, List<Proposal.Blob> blobs) {
        try {
            return propose(command, blobs).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw Patience.tooLate(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnknownOutcomeException("the controller is stopping", e);
        }
    }

    /// The time as commands see it: never before that of anything applied or proposed.
    public synchronized Instant now() {
        var now = clock.instant();
        var applied = state.snapshot().now();
        now = applied.isAfter(now) ? applied : now;
        return last.isAfter(now) ? last : now;
    }
}
