package dev.spur.cloud.reach;

/// How a program ended.
public sealed interface ProgramEnd {
    record Exited(int code) implements ProgramEnd {}

    record Signalled(int number) implements ProgramEnd {}

    /// The session ended around it, or its node went away.
    ///
    /// @param why for people
    record Lost(String why) implements ProgramEnd {}
}
