package dev.spur.model.notation;

import java.util.ArrayList;
import java.util.List;

/// Splits a directive line of a batch script (`#SBATCH` already removed) into words, by sbatch's
/// rules and not by the shell's:
///
/// - single and double quotes keep blanks and `#` together and may stand inside a word;
/// - a backslash takes the next character as it is, also inside either kind of quotes, but a blank
///   outside quotes ends the word even then;
/// - a `#` outside quotes ends the line, also in the middle of a word;
/// - nothing is expanded.
public final class ShellWords {
    private ShellWords() {}

    public static List<String> split(String line) {
        var words = new ArrayList<String>();
        var word = new StringBuilder();
        var inWord = false;
        var quote = '\0';
        var escaped = false;
        for (var i = 0; i < line.length(); i++) {
            var c = line.charAt(i);
            if (quote == '\0' && Character.isWhitespace(c)) {
                if (inWord) {
                    words.add(word.toString());
                }
                word.setLength(0);
                inWord = false;
                escaped = false;
            } else if (escaped) {
                word.append(c);
                escaped = false;
            } else if (c == '\\') {
                escaped = true;
                inWord = true;
            } else if (quote == c) {
                quote = '\0';
            } else if (quote == '\0' && (c == '"' || c == '\'')) {
                quote = c;
                inWord = true;
            } else if (quote == '\0' && c == '#') {
                break;
            } else {
                word.append(c);
                inWord = true;
            }
        }
        if (quote != '\0') {
            throw new NotationException(
                    line.strip(),
                    "a list of options",
                    Text.of("Unmatched `%c`, close the quotes", quote));
        }
        if (inWord) {
            words.add(word.toString());
        }
        return List.copyOf(words);
    }
}
