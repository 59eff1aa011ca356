package dev.spur.api.reach;

import dev.spur.api.v1.TaskEnded;
import java.io.IOException;

/// Takes what a step's tasks print while somebody looks on. Called by one thread per node.
public interface StepSink {
    /// @param number 1 for standard output (and a terminal), 2 for standard error
    /// @param offset of the first byte in the task's stream
    void data(int task, int number, long offset, byte[] bytes) throws IOException;

    /// The task writes no more there.
    default void ended(int task, int number) throws IOException {}

    /// So many bytes were printed faster than they were taken, or before the oldest that is kept.
    default void missed(int task, int number, long bytes) {}

    default void taskEnded(String node, TaskEnded task) {}

    /// The node's agent has gone; it is waited for.
    default void lost(String node, String why) {}
}
