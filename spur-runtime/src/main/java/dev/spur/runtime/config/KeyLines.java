package dev.spur.runtime.config;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where each key of a TOML text stands, so that a message can name the line.
///
/// The parser gives values without places. This reads table headers and the beginnings of lines
/// only, which is exact for everything but keys inside inline tables: those get the line of their
/// table.
final class KeyLines {
    private static final Pattern HEADER =
            Pattern.compile("^\\s*(\\[\\[?)\\s*([^\\[\\]]+?)\\s*]]?\\s*(#.*)?$");
    private static final Pattern ENTRY = Pattern.compile("^\\s*([A-Za-z0-9_.\"'\\- ]+?)\\s*=(.*)$");

    private final Map<String, Integer> lines = new HashMap<>();
    private final Map<String, Integer> entriesOfArray = new HashMap<>();
    private String table = "";

    KeyLines(String text) {
        int number = 0;
        int open = 0; // brackets of a value that goes on over several lines
        for (var line : text.split("\n", -1)) {
            number++;
            if (open > 0) {
                open += bracketsOpenedBy(line);
                continue;
            }
            Matcher header = HEADER.matcher(line);
            if (header.matches()) {
                enter(plain(header.group(2)), header.group(1).equals("[["), number);
                continue;
            }
            Matcher entry = ENTRY.matcher(line);
            if (entry.matches()) {
                lines.putIfAbsent(join(table, plain(entry.group(1))), number);
                open = Math.max(0, bracketsOpenedBy(entry.group(2)));
            }
        }
    }

    /// The line of `path` (as in `partitions[1].name`), or of the nearest table around it.
    OptionalInt of(String path) {
        for (var at = path; !at.isEmpty(); at = parent(at)) {
            var line = lines.get(at);
            if (line != null) {
                return OptionalInt.of(line);
            }
        }
        return OptionalInt.empty();
    }

    private void enter(String name, boolean arrayEntry, int number) {
        if (arrayEntry) {
            int index = entriesOfArray.merge(name, 1, Integer::sum) - 1;
            lines.putIfAbsent(name, number);
            table = name + "[" + index + "]";
        } else {
            table = name;
        }
        lines.putIfAbsent(table, number);
    }

    private static String parent(String path) {
        int dot = path.lastIndexOf('.');
        int bracket = path.lastIndexOf('[');
        return path.substring(0, Math.max(0, Math.max(dot, bracket)));
    }

    private static String join(String table, String key) {
        return table.isEmpty() ? key : table + "." + key;
    }

    private static String plain(String key) {
        return key.replaceAll("[\"' ]", "");
    }

    /// How many more brackets a line opens than it closes, outside of strings and comments.
    private static int bracketsOpenedBy(String line) {
        int depth = 0;
        char quote = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (quote != 0) {
                if (c == '\\' && quote == '"') {
                    i++;
                } else if (c == quote) {
                    quote = 0;
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == '#') {
                break;
            } else if (c == '[' || c == '{') {
                depth++;
            } else if (c == ']' || c == '}') {
                depth--;
            }
        }
        return depth;
    }
}
