package dev.spur.runtime.config;

/// `[network]` in spur.conf: the mesh between hosts, and where agents listen.
public record NetworkConfig(
        @Means("Addresses of the mesh") @Key(notYetUsed = true) String wgCidr,
        @Means("Whether hosts are joined by a WireGuard mesh") @Key(notYetUsed = true)
                boolean wgEnabled,
        @Means("The mesh's network interface") @Key(notYetUsed = true) String wgInterface,
        @Means("The mesh's UDP port") @Key(notYetUsed = true) int wgPort,
        @Means("Where spurd listens for srun's input and output") int agentPort,
        @Means("Whether an agent that says it is reached at a loopback address is refused")
                @Key(live = true, notYetUsed = true)
                boolean rejectLoopbackCommAddr) {

    public static final NetworkConfig DEFAULTS =
            new NetworkConfig("10.44.0.0/16", false, "spur0", 51820, 6818, false);

    public NetworkConfig {
        new Rules()
                .between(1, wgPort, 65_535, "wg_port")
                .between(1, agentPort, 65_535, "agent_port")
                .check();
    }
}
