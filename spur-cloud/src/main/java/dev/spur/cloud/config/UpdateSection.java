package dev.spur.cloud.config;

import dev.spur.runtime.config.Means;

/// `[update]` in spur-cloud.toml.
public record UpdateSection(
        @Means("Whether to look for a newer release when the daemon starts") boolean checkOnStartup,
        @Means("Which releases count: stable, or nightly too") Channel channel,
        @Means("Where the answer is kept for an hour; empty: below the state directory")
                String cacheDir,
        @Means("Where releases are asked for, as GitHub's API of a repository; empty: nowhere")
                String source) {
    public static final UpdateSection DEFAULTS = new UpdateSection(true, Channel.STABLE, "", "");

    /// Which releases count.
    public enum Channel {
        STABLE,
        NIGHTLY
    }
}
