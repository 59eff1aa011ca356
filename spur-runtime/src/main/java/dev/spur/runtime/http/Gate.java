package dev.spur.runtime.http;

/// Finds out who calls, and whether they may. Refusals are {@link Problem}s.
///
/// @param <C> what a daemon knows of a caller; there is one also for whoever nobody knows
@FunctionalInterface
public interface Gate<C> {
    C admit(Endpoint<C> endpoint, Incoming request);
}
