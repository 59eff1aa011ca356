package dev.spur.runtime.config;

import java.nio.file.Path;
import java.time.Duration;

/// `[mpi]` in spur.conf.
public record MpiConfig(
        @Key(notYetUsed = true) Path pluginDir,
        @Key(notYetUsed = true) String pmixPlugin,
        @Key(notYetUsed = true) String pmixMinVersion,
        @Key(live = true, notYetUsed = true) Path pmixTmpdir,
        @Key(value = "modex_connect_timeout_secs", live = true, notYetUsed = true)
                Duration modexConnectTimeout,
        @Key(value = "fence_timeout_secs", live = true, notYetUsed = true) Duration fenceTimeout,
        @Key(value = "verify_timeout_secs", live = true, notYetUsed = true)
                Duration verifyTimeout) {

    public static final MpiConfig DEFAULTS =
            new MpiConfig(
                    Path.of("/usr/lib/spur"),
                    "",
                    "4.1.0",
                    Path.of("/tmp/spur-pmix"),
                    Duration.ofSeconds(5),
                    Duration.ofMinutes(2),
                    Duration.ofSeconds(30));
}
