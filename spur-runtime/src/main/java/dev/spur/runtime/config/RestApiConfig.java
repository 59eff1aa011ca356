package dev.spur.runtime.config;

/// `[rest_api]` in spur.conf.
public record RestApiConfig(
        @Means("Whether the REST service is part of the controller") @Key(notYetUsed = true)
                boolean enabled) {
    public static final RestApiConfig DEFAULTS = new RestApiConfig(false);
}
