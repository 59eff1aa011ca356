package dev.spur.cli.options;

/// Where an option was given. A later source wins over an earlier one.
public enum Source {
    DIRECTIVE,
    ENVIRONMENT,
    COMMAND_LINE
}
