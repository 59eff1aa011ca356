package dev.spur.cloud.config;

import dev.spur.runtime.config.Means;
import dev.spur.runtime.config.Rules;
import java.time.Duration;

/// `[ssh]` in spur-cloud.toml: the gateway into sessions.
public record SshSection(
        @Means("Whether people can enter their sessions by SSH") boolean enabled,
        @Means("Where the gateway listens") String listen,
        @Means("The host that people type; empty: the one of public_url") String publicHost,
        @Means("The port that people type; 0: the one of listen") int publicPort,
        @Means("Connections that one person may have at a time") int maxPerUser,
        @Means("After how long a connection without traffic is closed; 0s: never") Duration idle) {
    public static final SshSection DEFAULTS =
            new SshSection(true, "127.0.0.1:2222", "", 0, 50, Duration.ZERO);

    public SshSection {
        new Rules()
                .between(0, publicPort, 65_535, "public_port")
                .between(1, maxPerUser, 10_000, "max_per_user")
                .check();
    }

    public SshSection listeningAt(String address) {
        return new SshSection(enabled, address, publicHost, publicPort, maxPerUser, idle);
    }
}
