package dev.spur.runtime.process;

/// A daemon that serves. Several can run in one JVM; none of them ends the process.
public interface Running extends AutoCloseable {
    /// Waits until the daemon has stopped by {@link #close}. Throws when it cannot go on: whoever
    /// waits then ends the process, so that it is started again ({@link Daemon#awaitEnd}).
    void awaitTermination() throws InterruptedException;

    /// Reads the configuration again, as far as the daemon can do that while it serves (SIGHUP).
    default void reload() {}

    /// Stops in order: no new requests, finish what is underway, then let go of files. May be
    /// called twice.
    @Override
    void close();
}
