package dev.spur.controller.raft;

/// What only the leader does. `lead` starts it and returns at once; closing what it returned ends
/// it, and comes back only when it has ended.
@FunctionalInterface
public interface LeaderTask {
    AutoCloseable lead(long epoch);
}
