package dev.spur.model.notation;

import java.util.Locale;

/// Texts with values in them, the same in every locale: what is written here may be stored,
/// compared and replicated, and a host that counts with other digits must not write another text.
public final class Text {
    private Text() {}

    /// As [String#formatted], in no locale.
    public static String of(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
