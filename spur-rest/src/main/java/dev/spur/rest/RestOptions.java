package dev.spur.rest;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.HostIdentity;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a REST service is made with.
///
/// @param identity of this host; missing: TLS is off by explicit setting
/// @param isEncrypted whether those who listen on the way learn nothing: callers then need tokens
/// @param hosts further names by which it is rightly called
record RestOptions(
        List<HostAndPort> controllers,
        HostAndPort listen,
        @Nullable HostIdentity identity,
        boolean isEncrypted,
        Set<String> hosts,
        InstantSource clock) {
    RestOptions {
        controllers = List.copyOf(controllers);
        hosts = Set.copyOf(hosts);
    }
}
