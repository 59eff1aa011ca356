package dev.spur.cloud.config;

import dev.spur.runtime.config.Means;

/// `[spur]` in spur-cloud.toml.
public record SpurSection(
        @Means("The controller, or several with commas, as in http://spurctld:6817")
                String controllerAddr) {
    public static final SpurSection DEFAULTS = new SpurSection("");
}
