package dev.spur.cloud.config;

import dev.spur.runtime.config.Means;

/// `[spur]` in spur-cloud.toml.
public record SpurSection(
        @Means("The controller, or several with commas, as in http://spurctld:6817")
                String controllerAddr,
        @Means(
                        "spurrestd, to which /api/v1 is carried, as in http://127.0.0.1:6820; empty: it is not")
                String restAddr,
        @Means("spurdbd, which knows what ran; empty: where the controller says")
                String accountingAddr) {
    public static final SpurSection DEFAULTS = new SpurSection("", "", "");
}
