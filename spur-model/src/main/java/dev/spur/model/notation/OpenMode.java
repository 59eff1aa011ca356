package dev.spur.model.notation;

import java.util.Locale;

/// `--open-mode`: what happens to an output file that exists already.
public enum OpenMode {
    APPEND,
    TRUNCATE;

    /// Reads the word or any beginning of it, in either case.
    public static OpenMode parse(String text) {
        var word = text.toUpperCase(Locale.ROOT);
        for (var mode : values()) {
            if (!word.isEmpty() && mode.name().startsWith(word)) {
                return mode;
            }
        }
        throw new NotationException(text, "an open mode", "write append or truncate");
    }
}
