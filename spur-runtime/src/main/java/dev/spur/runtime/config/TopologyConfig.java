package dev.spur.runtime.config;

import java.util.List;

/// `[topology]` in spur.conf.
public record TopologyConfig(
        @Means("How the network between nodes is described") @Key(notYetUsed = true) Plugin plugin,
        @Key(notYetUsed = true) List<Switch> switches,
        @Means("Nodes of a block") @Key(notYetUsed = true) int blockSize) {

    public static final TopologyConfig DEFAULTS = new TopologyConfig(Plugin.NONE, List.of(), 18);

    public enum Plugin {
        NONE,
        TREE,
        BLOCK
    }

    public TopologyConfig {
        switches = List.copyOf(switches);
        new Rules()
                .require(blockSize >= 1, "block_size", "must be at least 1, was %d", blockSize)
                .check();
    }

    /// One `[[topology.switches]]` entry; `nodes` and `switches` are hostlists of what hangs below
    /// it.
    public record Switch(
            @Means("The switch's name") @Key(required = true) String name,
            @Means("Nodes below it, as a hostlist") String nodes,
            @Means("Switches below it, as a hostlist") String switches) {
        public static final Switch DEFAULTS = new Switch("", "", "");
    }
}
