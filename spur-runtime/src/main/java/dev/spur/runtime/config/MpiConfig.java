package dev.spur.runtime.config;

import java.nio.file.Path;
import java.time.Duration;

/// `[mpi]` in spur.conf.
public record MpiConfig(
        @Means("Where MPI plugins are") @Key(notYetUsed = true) Path pluginDir,
        @Means("The PMIx library to load") @Key(notYetUsed = true) String pmixPlugin,
        @Means("The oldest PMIx that is accepted") @Key(notYetUsed = true) String pmixMinVersion,
        @Means("Where PMIx keeps its files") @Key(live = true, notYetUsed = true) Path pmixTmpdir,
        @Means("How long a connection between nodes may take")
                @Key(value = "modex_connect_timeout_secs", live = true, notYetUsed = true)
                Duration modexConnectTimeout,
        @Means("How long a fence may take")
                @Key(value = "fence_timeout_secs", live = true, notYetUsed = true)
                Duration fenceTimeout,
        @Means("How long the check of a plugin may take")
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
