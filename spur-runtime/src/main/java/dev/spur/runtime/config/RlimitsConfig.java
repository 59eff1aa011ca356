package dev.spur.runtime.config;

import java.util.Locale;

/// `[rlimits]` in spur.conf: resource limits that jobs get whatever the submitting shell had.
public record RlimitsConfig(
        @Means(
                        "How much memory a job may lock: unlimited, inherit (from the submitting shell), or bytes")
                String memlock) {
    public static final RlimitsConfig DEFAULTS = new RlimitsConfig("unlimited");

    public RlimitsConfig {
        memlock =
                memlock.isEmpty() || memlock.equals("0")
                        ? "unlimited"
                        : memlock.toLowerCase(Locale.ROOT);
        new Rules()
                .require(
                        memlock.equals("unlimited")
                                || memlock.equals("inherit")
                                || memlock.matches("[0-9]{1,18}"),
                        "memlock",
                        "must be \"unlimited\", \"inherit\" or a number of bytes, was \"%s\"",
                        memlock)
                .check();
    }
}
