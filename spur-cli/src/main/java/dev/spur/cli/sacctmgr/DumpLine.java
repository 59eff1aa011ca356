package dev.spur.cli.sacctmgr;

import dev.spur.cli.options.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A line of a dump, Slurm's or ours: `Account - 'bio':Description='Biology':Fairshare=5`. Quotes,
/// single or double, keep colons together.
///
/// @param kind cluster, parent, account or user
record DumpLine(String kind, String name, List<Word> options) {
    static Optional<DumpLine> of(String text, int number) {
        var line = text.strip();
        if (line.isEmpty() || line.startsWith("#")) {
            return Optional.empty();
        }
        requirePrintable(line, number);
        var dash = line.indexOf('-');
        var parts = dash < 0 ? List.<String>of() : split(line.substring(dash + 1).strip());
        if (parts.isEmpty() || parts.getFirst().isBlank()) {
            throw new Refusal(
                    1,
                    " line %d: \"%s\" is not of a dump: write Kind - 'name':Option=value, where Kind is Cluster, Parent, Account or User"
                            .formatted(number, abridged(line)));
        }
        return Optional.of(
                new DumpLine(
                        line.substring(0, dash).strip().toLowerCase(Locale.ROOT),
                        Word.of(parts.getFirst().strip()).value().toLowerCase(Locale.ROOT),
                        parts.stream()
                                .skip(1)
                                .filter(part -> !part.isBlank())
                                .map(Word::of)
                                .toList()));
    }

    /// Files come from elsewhere: what is in one must not command the terminal that shows it.
    private static void requirePrintable(String line, int number) {
        for (var i = 0; i < line.length(); i++) {
            if (line.charAt(i) != '\t' && Character.isISOControl(line.charAt(i))) {
                throw new Refusal(
                        1,
                        " line %d: there is a control character (U+%04X) at position %d. Is this a dump of sacctmgr?"
                                .formatted(number, (int) line.charAt(i), i + 1));
            }
        }
    }

    private static String abridged(String line) {
        return line.length() > 100 ? line.substring(0, 100) + "..." : line;
    }

    private static List<String> split(String text) {
        var parts = new ArrayList<String>();
        var part = new StringBuilder();
        var quote = ' ';
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (quote == ' ' && c == ':') {
                parts.add(part.toString());
                part.setLength(0);
                continue;
            }
            if (c == quote) {
                quote = ' ';
            } else if (quote == ' ' && (c == '\'' || c == '"')) {
                quote = c;
            }
            part.append(c);
        }
        parts.add(part.toString());
        return parts;
    }

    static String quoted(String value) {
        return value.indexOf('\'') < 0 ? "'" + value + "'" : "\"" + value.replace("\"", "") + "\"";
    }
}
