package dev.spur.cli.format;

/// Texts that others wrote, such as names and reasons, as they may be shown: a line break in one
/// would forge a record, an escape sequence would command the reader's terminal.
public final class Printable {
    private static final char INSTEAD = '?';

    private Printable() {}

    public static String of(String text) {
        for (var i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                var changed = new StringBuilder(text);
                clean(changed, i);
                return changed.toString();
            }
        }
        return text;
    }

    /// Changes what was appended to a line since it was `start` long.
    static void clean(StringBuilder line, int start) {
        for (var i = start; i < line.length(); i++) {
            if (Character.isISOControl(line.charAt(i))) {
                line.setCharAt(i, INSTEAD);
            }
        }
    }
}
