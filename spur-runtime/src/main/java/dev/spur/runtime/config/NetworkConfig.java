package dev.spur.runtime.config;

/// `[network]` in spur.conf: the mesh between hosts, and where agents listen.
public record NetworkConfig(
        @Key(notYetUsed = true) String wgCidr,
        @Key(notYetUsed = true) boolean wgEnabled,
        @Key(notYetUsed = true) String wgInterface,
        @Key(notYetUsed = true) int wgPort,
        int agentPort,
        @Key(live = true) boolean rejectLoopbackCommAddr) {

    public static final NetworkConfig DEFAULTS =
            new NetworkConfig("10.44.0.0/16", false, "spur0", 51820, 6818, false);

    public NetworkConfig {
        new Rules()
                .between(1, wgPort, 65_535, "wg_port")
                .between(1, agentPort, 65_535, "agent_port")
                .check();
    }
}
