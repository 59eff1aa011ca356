package dev.spur.cli;

import java.util.Set;
import java.util.function.Consumer;

/// Signals sent to the caller. Until a command listens, each has its usual effect on the caller, so
/// Ctrl-C ends `squeue` without any code here.
public interface Signals {
    /// From now on the given signals go to the listener instead of having their usual effect. One
    /// listener per command: a second call replaces the first, an empty set restores the default.
    /// Called on a thread of its own, one signal after another; `queue::add` makes a blocking queue
    /// of it.
    void listen(Set<ProcessSignal> signals, Consumer<ProcessSignal> listener);
}
