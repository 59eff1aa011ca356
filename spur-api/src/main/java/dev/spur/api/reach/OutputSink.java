package dev.spur.api.reach;

import dev.spur.api.v1.OutputPosition;
import dev.spur.api.v1.OutputTurn;
import java.io.IOException;

/// Takes an output as it comes. Called by one thread, which may be kept waiting: nobody else waits
/// with it.
public interface OutputSink {
    /// The job has not started.
    ///
    /// @param state and reason as squeue shows them
    default void waiting(int jobId, String state, String reason) {}

    /// It is read from here now.
    default void reading(String node, String path) {}

    /// Something happened to the file: what follows is of another one, or of the same emptied.
    default void turned(OutputTurn turn) {}

    /// The next bytes.
    ///
    /// @param next where a later reading goes on behind them
    void data(byte[] bytes, OutputPosition next) throws IOException;

    /// The node's agent has gone; it is waited for.
    default void lost(String node, String why) {}
}
