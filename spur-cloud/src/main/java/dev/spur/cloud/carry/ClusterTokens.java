package dev.spur.cloud.carry;

import dev.spur.cloud.access.Caller;

/// Where tokens of the cluster come from.
@FunctionalInterface
public interface ClusterTokens {
    /// One by which the cluster knows this person; good for at least as long as a request takes.
    String of(Caller.Person person);
}
