package dev.spur.runtime.config;

/// `[burst_buffer]` in spur.conf. Zero means there is none.
public record BurstBufferConfig(
        @Means("Size of the burst buffer in GB; 0: there is none")
                @Key(live = true, notYetUsed = true)
                long totalGb) {
    public static final BurstBufferConfig DEFAULTS = new BurstBufferConfig(0);

    public BurstBufferConfig {
        new Rules()
                .require(totalGb >= 0, "total_gb", "must not be negative, was %d", totalGb)
                .check();
    }
}
