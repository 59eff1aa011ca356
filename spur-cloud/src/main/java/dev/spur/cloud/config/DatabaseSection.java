package dev.spur.cloud.config;

import dev.spur.runtime.config.Means;
import dev.spur.runtime.config.Secret;

/// `[database]` in spur-cloud.toml.
public record DatabaseSection(
        @Means(
                        "The platform's database, as in postgresql://user:password@host/spur_cloud; without it the daemon runs a PostgreSQL of its own")
                Secret url) {
    public static final DatabaseSection DEFAULTS = new DatabaseSection(Secret.parse(""));
}
