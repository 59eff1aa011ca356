package dev.spur.controller;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.SpurConfig;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.Supplier;

/// What a controller is started with.
///
/// @param reload reads the configuration file again
/// @param listen where clients and agents are served
public record ControllerOptions(
        SpurConfig config,
        Supplier<ConfigFile> reload,
        HostAndPort listen,
        Path stateDirectory,
        InstantSource clock) {

    /// As the configuration says.
    public static ControllerOptions of(SpurConfig config, Path stateDirectory) {
        return new ControllerOptions(
                config,
                () -> new ConfigFile(config, java.util.List.of(), java.util.List.of()),
                config.controller().listenAddr(),
                stateDirectory,
                InstantSource.system());
    }
}
