package dev.spur.runtime.config;

import java.nio.file.Path;

/// `[update]` in spur.conf.
public record UpdateConfig(
        @Key(notYetUsed = true) boolean checkOnStartup,
        @Key(notYetUsed = true) boolean autoUpdate,
        @Key(notYetUsed = true) Channel channel,
        @Key(notYetUsed = true) Path cacheDir) {

    public static final UpdateConfig DEFAULTS =
            new UpdateConfig(true, false, Channel.STABLE, Path.of("/var/cache/spur"));

    public enum Channel {
        STABLE,
        NIGHTLY
    }
}
