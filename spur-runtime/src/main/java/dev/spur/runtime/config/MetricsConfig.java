package dev.spur.runtime.config;

import dev.spur.model.notation.HostAndPort;

/// `[metrics]` in spur.conf.
public record MetricsConfig(
        @Means("Whether metrics are served") @Key(notYetUsed = true) boolean enabled,
        @Means("Where") @Key(notYetUsed = true) HostAndPort listenAddr,
        @Means("On loopback or on every address") @Key(notYetUsed = true) Bind bind,
        @Means("Whether there are metrics for each user and job")
                @Key(live = true, notYetUsed = true)
                boolean highCardinality) {

    public static final MetricsConfig DEFAULTS =
            new MetricsConfig(true, new HostAndPort("127.0.0.1", 6822), Bind.LOOPBACK, false);

    public enum Bind {
        LOOPBACK,
        ALL
    }
}
