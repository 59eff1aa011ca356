package dev.spur.runtime.config;

import java.nio.file.Path;

/// `[update]` in spur.conf.
public record UpdateConfig(
        @Means("Whether daemons look for a newer release when they start") @Key(notYetUsed = true)
                boolean checkOnStartup,
        @Means("Whether it is installed by itself") @Key(notYetUsed = true) boolean autoUpdate,
        @Means("Which releases count") @Key(notYetUsed = true) Channel channel,
        @Means("Where downloads are kept") @Key(notYetUsed = true) Path cacheDir) {

    public static final UpdateConfig DEFAULTS =
            new UpdateConfig(true, false, Channel.STABLE, Path.of("/var/cache/spur"));

    public enum Channel {
        STABLE,
        NIGHTLY
    }
}
