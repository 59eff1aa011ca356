package dev.spur.cli;

/// One command, such as `squeue`. Stateless: one instance serves many callers at once.
///
/// Whatever the tool throws ends the command with exit code 1: a [Failure] prints its message as
/// `squeue: error: …`, anything else is reported as a fault of Spur. When the caller goes away in
/// the middle the tool's thread is interrupted and its streams throw [CallerGoneException].
@FunctionalInterface
public interface Tool {
    /// Runs the command and returns the exit code (0 to 255).
    int run(Invocation in) throws Exception;

    /// Whether the command goes on when its caller disappears, instead of being interrupted.
    default boolean goesOnWithoutCaller() {
        return false;
    }
}
