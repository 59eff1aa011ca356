package dev.spur.controller.raft;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// An ordered history of proposals that survives the loss of a minority of controllers.
///
/// @param <C> what is proposed
/// @param <R> what applying it answers
public interface ReplicatedLog<C, R> extends AutoCloseable {
    /// Completes with the replica's answer once the proposal is on disk on a majority and applied
    /// here. Fails with [NotLeaderException] when another controller leads, with NO_MAJORITY when
    /// none can, and with [BusyException] when too much waits already: then it did not take place.
    /// [UnknownOutcomeException] leaves open whether it did: ask again with the same request id.
    ///
    /// The future is completed on the apply thread: attach nothing heavy, or wait for it on a
    /// virtual thread.
    CompletableFuture<R> propose(C proposal);

    /// As [#propose], for proposals that say when they were made: `proposal` is asked for it in the
    /// order in which they enter the log, and must be quick.
    default CompletableFuture<R> proposeInTurn(Supplier<C> proposal) {
        synchronized (this) {
            return propose(proposal.get());
        }
    }

    /// Runs a task for as long as this controller leads, from now on and after every change of
    /// leader.
    void whileLeading(LeaderTask task);

    /// Who leads, as far as this controller knows.
    Leadership leadership();

    @Override
    void close();
}
