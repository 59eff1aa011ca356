package dev.spur.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Programs run by the caller's own process, on its terminal and with its standard streams.
public interface Children {
    /// Starts a program, found by the PATH of the given environment. When the caller's standard
    /// input is a terminal the child becomes its foreground process group until it ends. Fails with
    /// a [UserFileException] when the program cannot be executed.
    Child spawn(List<String> argv, Map<String, String> environment) throws IOException;

    /// The child that was started behind an earlier door (see [Memory]), if one was.
    default Optional<Child> adopt() {
        return Optional.empty();
    }

    interface Child {
        /// Waits for the end of the child.
        Exit waitFor() throws InterruptedException;

        /// Sends a signal to the child's process group.
        void signal(int number);
    }

    /// How a child ended: by `exit(code)`, or by a signal (then the code is 128 + signal).
    record Exit(int code, @Nullable Integer signal) {}
}
