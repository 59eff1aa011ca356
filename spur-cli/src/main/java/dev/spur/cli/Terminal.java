package dev.spur.cli;

/// The caller's terminal, as far as it has one.
public interface Terminal {
    int INPUT = 0;
    int OUTPUT = 1;
    int ERROR = 2;

    /// Whether the given file descriptor (0, 1 or 2) is a terminal.
    boolean isTerminal(int descriptor);

    /// The window size now; [Signals] tells of changes by WINCH. `Size.UNKNOWN` without a terminal.
    Size size();

    /// Switches the terminal to raw mode until closed; it is restored also when the caller ends.
    RawMode raw();

    record Size(int columns, int rows) {
        public static final Size UNKNOWN = new Size(0, 0);
    }

    interface RawMode extends AutoCloseable {
        @Override
        void close();
    }
}
