package dev.spur.runtime.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// `[power]` in spur.conf: idle nodes are switched off after `suspend_timeout_secs`; absent means
/// never.
public record PowerConfig(
        @Key(value = "suspend_timeout_secs", notYetUsed = true) @Nullable Duration suspendTimeout,
        @Key(live = true, notYetUsed = true) @Nullable String suspendCommand,
        @Key(live = true, notYetUsed = true) @Nullable String resumeCommand) {

    public static final PowerConfig DEFAULTS = new PowerConfig(null, null, null);
}
