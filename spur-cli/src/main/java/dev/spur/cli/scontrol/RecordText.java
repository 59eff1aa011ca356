package dev.spur.cli.scontrol;

import dev.spur.cli.format.Printable;

/// A record of `Key=Value` pairs: on indented lines with an empty one behind, or all on one line.
final class RecordText {
    private final StringBuilder text = new StringBuilder();
    private final boolean isOneLine;

    RecordText(boolean isOneLine) {
        this.isOneLine = isOneLine;
    }

    RecordText line(String pairs) {
        if (!text.isEmpty()) {
            text.append(isOneLine ? " " : "\n   ");
        }
        text.append(Printable.of(pairs));
        return this;
    }

    /// A line that is left out when there is nothing to say.
    RecordText lineUnlessEmpty(String key, String value) {
        return value.isEmpty() ? this : line(key + "=" + value);
    }

    @Override
    public String toString() {
        return text + (isOneLine ? "\n" : "\n\n");
    }
}
