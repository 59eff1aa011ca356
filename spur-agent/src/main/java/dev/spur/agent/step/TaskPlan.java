package dev.spur.agent.step;

import java.util.List;

/// One task of a step on this node.
///
/// @param environment what it has beside, and instead of, the step's environment
/// @param arguments its own command, empty for the step's
/// @param binding where it runs if that is not where its step does
public record TaskPlan(
        int rank,
        int localId,
        List<String> environment,
        List<String> arguments,
        Binding binding,
        Stdio input,
        Stdio output,
        Stdio error) {

    public TaskPlan {
        environment = List.copyOf(environment);
        arguments = List.copyOf(arguments);
    }

    /// @param cpus `0-3,8`; empty for the step's
    /// @param report the beginning of the line that tells its processors, `cpu-bind=MASK`; empty
    ///   for none
    public record Binding(String cpus, String report) {
        public static final Binding OF_THE_STEP = new Binding("", "");
    }

    /// Where one of a task's three standard files is.
    public sealed interface Stdio {
        record Null() implements Stdio {}

        /// Streamed through the supervisor to whoever attaches.
        record Streamed() implements Stdio {}

        record Terminal() implements Stdio {}

        /// Standard error only.
        record SameAsOutput() implements Stdio {}

        record Read(String path) implements Stdio {}

        record Truncate(String path) implements Stdio {}

        record Append(String path) implements Stdio {}

        /// Truncated now; other tasks append to the same file.
        record Shared(String path) implements Stdio {}

        /// As the supervisor reads it (native/step/README.md).
        default String spelling() {
            return switch (this) {
                case Null() -> "n";
                case Streamed() -> "s";
                case Terminal() -> "p";
                case SameAsOutput() -> "=";
                case Read(var path) -> "r" + path;
                case Truncate(var path) -> "t" + path;
                case Append(var path) -> "a" + path;
                case Shared(var path) -> "S" + path;
            };
        }
    }
}
