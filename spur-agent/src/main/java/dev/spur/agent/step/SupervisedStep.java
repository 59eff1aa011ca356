package dev.spur.agent.step;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A step under supervision. Requests to one that has ended do nothing.
public interface SupervisedStep {
    /// Sends a signal to every process of the step, or to the tasks' first processes only.
    ///
    /// @param why the end of the line that the job reads on its standard error: `DUE TO …`, `-` for
    ///   a line without cause, empty for no line
    void signal(int signal, boolean firstProcessesOnly, String why);

    /// Writes a line to the standard error of the step.
    void say(String line);

    /// Asks the processes to end now and kills them after the wait.
    void terminate(Duration wait, String why);

    /// Sets what is left of the time limit; null for none.
    void limitTime(@Nullable Duration remaining);

    /// Without another word nothing of the step is left after that; null: it goes on for ever. It
    /// ends itself in time, its kill wait earlier, whether or not the agent lives.
    void lease(@Nullable Duration remaining);

    /// Looks what its tasks use now. Fails if it has ended, or its supervisor does not answer soon.
    CompletableFuture<StepStatus> usage();

    /// Connects to the streamed output and input.
    StepAttachment attach(List<StreamPosition> resumeAt, StepAttachment.Receiver receiver)
            throws IOException;

    /// The same for somebody who looks on: the tasks do not wait for what this one has not taken,
    /// and it misses what it is too slow for.
    StepAttachment lookOn(List<StreamPosition> resumeAt, StepAttachment.Receiver receiver)
            throws IOException;

    /// The end has been taken note of: the supervisor may go.
    void dismiss();

    /// Stops watching; the step goes on.
    void release();

    /// A place in the output of one task.
    ///
    /// @param stream 1 for standard output, 2 for standard error
    record StreamPosition(int rank, int stream, long offset) {}
}
