package dev.spur.controller.raft;

import java.util.concurrent.CompletableFuture;

/// An ordered history of proposals that survives the loss of a minority of controllers.
///
/// @param <C> what is proposed
/// @param <R> what applying it answers
public interface ReplicatedLog<C, R> extends AutoCloseable {
    /// Completes with the replica's answer once the proposal is on disk on a majority and applied
    /// here. Fails with [NotLeaderException] when another controller leads, and with
    /// [BusyException] when too much waits already. A failure of any other kind leaves open whether
    /// the proposal took place: ask again with the same request id.
    ///
    /// The future is completed on the apply thread: wait for it on a virtual thread, attach nothing
    /// heavy.
    CompletableFuture<R> propose(C proposal);

    /// Runs a task for as long as this controller leads, from now on and after every change of
    /// leader.
    void whileLeading(LeaderTask task);

    /// Who leads, as far as this controller knows.
    Leadership leadership();

    @Override
    void close();
}
