package dev.spur.cloud.reach;

import java.io.IOException;

/// Shells of one session that outlive whoever looks at them.
public interface Shells {
    /// @param requestId the same for a repetition, which then finds the shell that was started
    /// @return by which it is found again
    /// @throws NotReachedException with the reason
    String start(String requestId, int rows, int columns) throws InterruptedException;

    /// Looks at a shell, from the oldest that is kept of it on.
    ///
    /// @throws ShellGoneException if there is none any more
    /// @throws NotReachedException with the reason
    View view(String shell, Viewer viewer);

    /// Whoever looks on.
    interface Viewer {
        /// Not before this returns comes more.
        void data(byte[] bytes) throws IOException;

        /// So much was printed faster than this viewer took it.
        default void missed(long bytes) {}

        void ended(ProgramEnd end);
    }

    /// Looking on.
    interface View extends AutoCloseable {
        /// Waits while the shell takes no input.
        void type(byte[] bytes) throws InterruptedException;

        void resize(int rows, int columns);

        /// The shell goes on.
        @Override
        void close();
    }

    /// There is no such shell any more.
    final class ShellGoneException extends RuntimeException {
        private static final long serialVersionUID = 1;

        public ShellGoneException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
