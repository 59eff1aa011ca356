package dev.spur.runtime.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// `[logging]` in spur.conf. Without a file the log goes to standard error.
public record LoggingConfig(
        @Means("What is told: each level includes those before it") Level level,
        @Means("Lines for people, or one JSON object a line") Format format,
        @Means(
                        "The log file; without it standard error, which is the daemon's own file when it is in the background")
                @Nullable Path file) {
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
