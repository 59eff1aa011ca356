package dev.spur.cloud.reach;

import java.io.InputStream;
import java.io.OutputStream;

/// A program inside a session. Its streams block: output waits for its reader, input for the
/// program.
public interface RunningProgram extends AutoCloseable {
    /// What it prints; with a terminal everything.
    InputStream output();

    InputStream error();

    /// Closing it ends the program's input.
    OutputStream input();

    void resize(int rows, int columns);

    /// To every process of it.
    void signal(int number);

    /// Waits for its end; whatever it printed is in the streams by then.
    ProgramEnd await() throws InterruptedException;

    /// Ends it, if it has not ended: nobody waits for it any more.
    @Override
    void close();
}
