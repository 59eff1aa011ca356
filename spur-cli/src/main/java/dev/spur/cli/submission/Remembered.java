package dev.spur.cli.submission;

import dev.spur.cli.Memory;

/// The keys under which commands that hold a job keep what the next door needs (see [Memory]).
public final class Remembered {
    /// The id of the request for the job, and of all that follow from it.
    public static final int REQUEST = Memory.FAREWELL + 1;

    /// The id of the request for the step, when it is not the first.
    public static final int STEP = 2;

    /// Which tasks have been told of, and the exit code so far.
    public static final int TASKS = 3;

    /// How far the file has been read that is the tasks' input.
    public static final int INPUT = 4;

    /// The job that `sbatch --wait` has submitted.
    public static final int JOB = 5;

    /// How far `spur logs` has passed on an output.
    public static final int LOG = 6;

    private static final int NODES = 1 << 20;
    private static final int STREAMS = 1 << 24;

    private Remembered() {}

    /// What an agent wants to see of who comes back to a step.
    ///
    /// @param position of the node in the step
    public static int node(int position) {
        return NODES + position;
    }

    /// How far a task's output has been passed on.
    ///
    /// @param stream 1 for output, 2 for errors
    public static int output(int rank, int stream) {
        return STREAMS + 2 * rank + stream - 1;
    }
}
