package dev.spur.controller.agent;

import dev.spur.controller.raft.BusyException;
import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.ReplicatedLog;
import dev.spur.controller.state.Proposal;
import dev.spur.engine.state.Result;
import java.util.concurrent.CompletableFuture;

/// A log that can be told to take nothing for a while, or something else first.
final class FragileLog implements ReplicatedLog<Proposal, Result> {
    private final ReplicatedLog<Proposal, Result> log;
    boolean busy;
    Runnable first = () -> {};

    FragileLog(ReplicatedLog<Proposal, Result> log) {
        this.log = log;
    }

    @Override
    public CompletableFuture<Result> propose(Proposal proposal) {
        var before = first;
        first = () -> {};
        before.run();
        return busy ? CompletableFuture.failedFuture(new BusyException()) : log.propose(proposal);
    }

    @Override
    public void whileLeading(LeaderTask task) {
        log.whileLeading(task);
    }

    @Override
    public Leadership leadership() {
        return log.leadership();
    }

    @Override
    public void close() {
        log.close();
    }
}
