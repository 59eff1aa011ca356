package dev.spur.model.notation;

/// A text that does not follow its notation. The message names the text and what is accepted, so it
/// can be shown to the person who wrote it; commands put Slurm's own words in front of it.
public final class NotationException extends RuntimeException {
    private final String text;

    /// For a message like `"12Q" is not a memory size: give a number with an optional unit`.
    public NotationException(String text, String what, String accepted) {
        super(Text.of("\"%s\" is not %s: %s", shortened(text), what, accepted));
        this.text = text;
    }

    /// The offending text, whole.
    public String text() {
        return text;
    }

    private static String shortened(String text) {
        return text.length() <= 120 ? text : text.substring(0, 117) + "...";
    }
}
