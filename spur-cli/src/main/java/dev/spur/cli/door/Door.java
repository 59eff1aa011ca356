package dev.spur.cli.door;

import java.nio.file.Path;

/// A door that is open. Closing it ends the commands that run behind it.
public interface Door extends AutoCloseable {
    Path socket();

    /// How many commands run now.
    int commands();

    @Override
    void close();
}
