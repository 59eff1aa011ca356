package dev.spur.runtime.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// `[power]` in spur.conf: idle nodes are switched off after `suspend_timeout_secs`; absent means
/// never.
public record PowerConfig(
        @Means("Nodes idle for so long are switched off; absent: never")
                @Key(value = "suspend_timeout_secs", notYetUsed = true)
                @Nullable Duration suspendTimeout,
        @Means("What switches a node off") @Key(live = true, notYetUsed = true)
                @Nullable String suspendCommand,
        @Means("What switches it on") @Key(live = true, notYetUsed = true)
                @Nullable String resumeCommand) {

    public static final PowerConfig DEFAULTS = new PowerConfig(null, null, null);
}
