package dev.spur.rest.caller;

import dev.spur.api.client.CallerIdentity;

/// On whose behalf a request is done.
public sealed interface Caller {
    /// @param user name, as the cluster or this host knows it
    /// @param identity what the controller is told, or shown
    public record Known(String user, CallerIdentity identity) implements Caller {}

    /// @param because why nobody is known to ask
    public record Stranger(String because) implements Caller {}
}
