package dev.spur.agent.step;

/// A connection to the streams of a step.
public interface StepAttachment extends AutoCloseable {
    /// For input that all tasks get.
    int EVERY_RANK = -1;

    /// Output up to here has been delivered: the supervisor may let go of it.
    void seen(SupervisedStep.StreamPosition upTo);

    /// @param offset of the first byte; what was given before is ignored
    void input(int rank, long offset, byte[] data);

    /// Input beside that of the step's own caller, by somebody who looks on: once, or not at all.
    void type(int rank, byte[] data);

    void endInput(int rank);

    void resize(int rows, int columns);

    @Override
    void close();

    /// Hears what the tasks write. Called by one thread, which may be kept waiting: the tasks wait
    /// with it.
    interface Receiver {
        /// @param inputOffset how much input the step has had already
        /// @param streams how many streams will end before everything has been said
        void attached(long inputOffset, int streams);

        void output(SupervisedStep.StreamPosition at, byte[] data);

        void outputEnded(SupervisedStep.StreamPosition at);

        /// The slowest task has read its input up to here.
        void inputTaken(long offset);

        /// The connection broke.
        void detached();
    }
}
