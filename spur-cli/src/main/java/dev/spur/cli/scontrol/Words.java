package dev.spur.cli.scontrol;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The words of one kind that scontrol knows, each with the shortest form that Slurm takes for it.
final class Words<T> {
    private final List<Word<T>> words;

    record Word<T>(String name, int shortest, boolean mayGoOn, T meaning) {
        private boolean isWrittenAs(String text) {
            return text.length() >= Math.min(shortest, name.length())
                    && (name.startsWith(text) || (mayGoOn && text.startsWith(name)));
        }
    }

    Words(List<Word<T>> words) {
        this.words = List.copyOf(words);
    }

    static <T> Word<T> word(String name, int shortest, T meaning) {
        return new Word<>(name, shortest, false, meaning);
    }

    /// A word of which Slurm looks at the beginning only, whatever follows: `holdd` is `hold`.
    static <T> Word<T> stem(String name, T meaning) {
        return new Word<>(name, name.length(), true, meaning);
    }

    /// The first word that the text, in any case, is a long enough beginning of.
    Optional<T> find(String text) {
        var lower = text.toLowerCase(Locale.ROOT);
        return words.stream()
                .filter(word -> word.isWrittenAs(lower))
                .map(Word::meaning)
                .findFirst();
    }

    List<String> names() {
        return words.stream().map(Word::name).toList();
    }
}
