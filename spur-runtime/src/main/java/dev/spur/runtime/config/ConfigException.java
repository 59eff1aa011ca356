package dev.spur.runtime.config;

import java.util.List;

/// The configuration cannot be used. Carries every problem found, not only the first.
public final class ConfigException extends RuntimeException {
    private final List<String> problems;

    public ConfigException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /// One sentence or two each, beginning with file and line, as in `spur.conf line 14: unknown
    /// key "scheduler.intervall". Did you mean "scheduler.interval_secs"?`
    public List<String> problems() {
        return problems;
    }
}
