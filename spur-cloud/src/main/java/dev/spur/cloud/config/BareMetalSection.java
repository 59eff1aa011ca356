package dev.spur.cloud.config;

import dev.spur.runtime.config.Key;
import dev.spur.runtime.config.Means;

/// `[bare_metal]` in spur-cloud.toml: read for those who have it, needed by nothing here. Where
/// agents listen, the controller knows; sessions are reached by one gateway.
public record BareMetalSection(
        @Means("Not needed: the controller knows") @Key(notYetUsed = true) int agentPort,
        @Means("Not needed: SSH goes by one gateway") @Key(notYetUsed = true) int sshPortBase,
        @Means("Not needed: SSH goes by one gateway") @Key(notYetUsed = true) int sshPortRange) {
    public static final BareMetalSection DEFAULTS = new BareMetalSection(6818, 10_000, 50_000);
}
