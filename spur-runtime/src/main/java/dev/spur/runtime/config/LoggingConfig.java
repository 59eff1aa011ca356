package dev.spur.runtime.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// `[logging]` in spur.conf. Without a file the log goes to standard error.
public record LoggingConfig(Level level, Format format, @Nullable Path file) {
    public static final LoggingConfig DEFAULTS = new LoggingConfig(Level.INFO, Format.TEXT, null);

    public enum Level {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    public enum Format {
        TEXT,
        JSON
    }
}
