package dev.spur.runtime.config;

import dev.spur.model.notation.HostAndPort;

/// `[metrics]` in spur.conf.
public record MetricsConfig(
        @Key(notYetUsed = true) boolean enabled,
        @Key(notYetUsed = true) HostAndPort listenAddr,
        @Key(notYetUsed = true) Bind bind,
        @Key(live = true, notYetUsed = true) boolean highCardinality) {

    public static final MetricsConfig DEFAULTS =
            new MetricsConfig(true, new HostAndPort("127.0.0.1", 6822), Bind.LOOPBACK, false);

    public enum Bind {
        LOOPBACK,
        ALL
    }
}
