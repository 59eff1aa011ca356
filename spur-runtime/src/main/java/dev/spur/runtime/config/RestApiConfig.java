package dev.spur.runtime.config;

/// `[rest_api]` in spur.conf.
public record RestApiConfig(@Key(notYetUsed = true) boolean enabled) {
    public static final RestApiConfig DEFAULTS = new RestApiConfig(false);
}
