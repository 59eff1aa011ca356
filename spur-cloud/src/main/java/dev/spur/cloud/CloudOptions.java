package dev.spur.cloud;

import dev.spur.cloud.config.CloudConfig;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.HostIdentity;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the daemon needs to know beside its database.
///
/// @param listen port 0 takes any
/// @param console its files, or none
/// @param controllers whom to ask, in the order of trying
/// @param identity this host's certificate, of the role cloud; null without TLS
record CloudOptions(
        CloudConfig config,
        Console console,
        HostAndPort listen,
        List<HostAndPort> controllers,
        @Nullable HostIdentity identity,
        Path stateDirectory,
        InstantSource clock) {
    CloudOptions {
        controllers = List.copyOf(controllers);
    }
}
