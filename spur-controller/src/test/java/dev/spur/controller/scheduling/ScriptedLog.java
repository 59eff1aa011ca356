package dev.spur.controller.scheduling;

import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.ReplicatedLog;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.Proposal;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A log that records at once, later, or not at all, as the test wants.
final class ScriptedLog implements ReplicatedLog<Proposal, Result> {
    private final ClusterReplica replica;
    private final List<Command> proposed = new ArrayList<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private @Nullable RuntimeException failure;
    private boolean slow;
    private long index;

    ScriptedLog(ClusterReplica replica) {
        this.replica = replica;
    }

    /// From now on nothing is recorded.
    void fail(RuntimeException with) {
        failure = with;
    }

    /// From now on all is recorded again.
    void mend() {
        failure = null;
    }

    /// From now on nothing is recorded before [#record].
    void slow() {
        slow = true;
    }

    void record() {
        slow = false;
        waiting.forEach(Runnable::run);
        waiting.clear();
    }

    /// What was proposed of one kind, whatever became of it.
    <C extends Command> List<C> proposed(Class<C> kind) {
        return proposed.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @Override
    public CompletableFuture<Result> propose(Proposal proposal) {
        proposed.add(proposal.command());
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        var answer = new CompletableFuture<Result>();
        Runnable record =
                () -> answer.complete(replica.apply(index++, List.of(proposal)).getFirst());
        if (slow) {
            waiting.add(record);
        } else {
            record.run();
        }
        return answer;
    }

    @Override
    public void whileLeading(LeaderTask task) {
        throw new UnsupportedOperationException("tests begin and end it themselves");
    }

    @Override
    public Leadership leadership() {
        return new Leadership.Leading(1);
    }

    @Override
    public void close() {}
}
