package dev.spur.controller;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.host.ThisHost;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What a controller is started with.
///
/// @param configFile where the configuration is read from, whether it exists or not
/// @param reload reads the configuration file again
/// @param listen where clients and agents are served
/// @param replication where other controllers are served; missing: as follows from the rest
/// @param name what people call this controller
/// @param token with which it joins controllers that run already
/// @param alone it goes on without the other controllers, which are lost for good
public record ControllerOptions(
        SpurConfig config,
        Path configFile,
        Supplier<ConfigFile> reload,
        HostAndPort listen,
        @Nullable HostAndPort replication,
        Path stateDirectory,
        InstantSource clock,
        String name,
        @Nullable String token,
        boolean alone) {

    /// As the configuration says.
    public static ControllerOptions of(SpurConfig config, Path stateDirectory) {
        return new ControllerOptions(
                config,
                ConfigFile.DEFAULT_PATH,
                () -> new ConfigFile(config, java.util.List.of(), java.util.List.of()),
                config.controller().listenAddr(),
                config.controller().raftListenAddr(),
                stateDirectory,
                InstantSource.system(),
                ThisHost.shortName(),
                null,
                false);
    }
}
