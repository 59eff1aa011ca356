package dev.spur.engine.layout;

import java.util.Locale;
import java.util.Optional;

/// The first level of `--distribution`: how tasks are dealt out to nodes.
public sealed interface Distribution {
    /// Consecutive tasks share a node.
    record Block() implements Distribution {}

    /// One task for each node in turn.
    record Cyclic() implements Distribution {}

    /// Blocks of this size for each node in turn.
    record Plane(int size) implements Distribution {}

    /// Reads `block`, `cyclic` or `plane=N`; what follows a colon concerns sockets. Empty if it is
    /// none of these.
    static Optional<Distribution> parse(String text) {
        var word = text.toLowerCase(Locale.ROOT).split("[:,]", 2)[0];
        return switch (word) {
            case "", "*", "block" -> Optional.of(new Block());
            case "cyclic" -> Optional.of(new Cyclic());
            default ->
                    word.matches("plane=[1-9][0-9]{0,8}")
                            ? Optional.of(new Plane(Integer.parseInt(word.substring(6))))
                            : Optional.empty();
        };
    }
}
