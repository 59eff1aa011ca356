package dev.spur.cli.options;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One option of a command: how it is written, what it takes, and which environment variables stand
/// in for it. Immutable; each method gives a changed copy.
///
/// @param <T> what the option's value means to the command; `Boolean` for flags
public final class Option<T> {
    /// Whether and how an option takes a value.
    public enum Takes {
        NOTHING,
        VALUE,
        /// Only attached: `-I60`, `--immediate=60`.
        OPTIONAL_VALUE,
        /// Attached, or else the next word unless it looks like an option: `squeue -j 1008`.
        OPTIONAL_VALUE_OR_NEXT_WORD
    }

    private final String name;
    private final @Nullable Character letter;
    private final Takes takes;
    private final Function<String, T> parser;
    private final String bareValue;
    private final String placeholder;
    private final String summary;
    private final List<String> variables;
    private final List<String> aliases;
    private final Set<String> replaces;
    private final Set<String> outranks;
    private final boolean supported;

    private Option(
            String name,
            @Nullable Character letter,
            Takes takes,
            Function<String, T> parser,
            String bareValue,
            String placeholder,
            String summary,
            List<String> variables,
            List<String> aliases,
            Set<String> replaces,
            Set<String> outranks,
            boolean supported) {
        this.name = name;
        this.letter = letter;
        this.takes = takes;
        this.parser = parser;
        this.bareValue = bareValue;
        this.placeholder = placeholder;
        this.summary = summary;
        this.variables = List.copyOf(variables);
        this.aliases = List.copyOf(aliases);
        this.replaces = Set.copyOf(replaces);
        this.outranks = Set.copyOf(outranks);
        this.supported = supported;
    }

    private static <T> Option<T> plain(
            String name,
            Takes takes,
            Function<String, T> parser,
            String bareValue,
            String placeholder) {
        return new Option<>(
                name,
                null,
                takes,
                parser,
                bareValue,
                placeholder,
                "",
                List.of(),
                List.of(),
                Set.of(),
                Set.of(),
                true);
    }

    /// An option without a value.
    public static Option<Boolean> flag(String name) {
        return plain(name, Takes.NOTHING, _ -> true, "", "");
    }

    /// An option whose value is any text.
    public static Option<String> text(String name, String placeholder) {
        return of(name, placeholder, Function.identity());
    }

    /// An option with a value. The parser throws an [IllegalArgumentException] for a value that is
    /// none.
    public static <T> Option<T> of(String name, String placeholder, Function<String, T> parser) {
        return plain(name, Takes.VALUE, parser, "", placeholder);
    }

    /// An option that may stand without a value and then means `bareValue`.
    public static <T> Option<T> optional(
            String name, String placeholder, String bareValue, Function<String, T> parser) {
        return plain(name, Takes.OPTIONAL_VALUE, parser, bareValue, placeholder);
    }

    /// As [#optional], but the value may also be the following word.
    public static <T> Option<T> optionalOrNextWord(
            String name, String placeholder, String bareValue, Function<String, T> parser) {
        return plain(name, Takes.OPTIONAL_VALUE_OR_NEXT_WORD, parser, bareValue, placeholder);
    }

    public Option<T> letter(char value) {
        return copy(value, summary, variables, aliases, replaces, outranks, supported);
    }

    /// What the option does, for `--help`.
    public Option<T> help(String text) {
        return copy(letter, text, variables, aliases, replaces, outranks, supported);
    }

    /// Environment variables that give the option when the command line does not; the first that is
    /// set.
    public Option<T> from(String... names) {
        return copy(letter, summary, List.of(names), aliases, replaces, outranks, supported);
    }

    /// Further long names.
    public Option<T> alias(String... names) {
        return copy(letter, summary, variables, List.of(names), replaces, outranks, supported);
    }

    /// Options that this one undoes when it is given after them: `--requeue` and `--no-requeue`.
    public Option<T> replaces(String... names) {
        return copy(letter, summary, variables, aliases, Set.of(names), outranks, supported);
    }

    /// Options that this one undoes when they come from a weaker source: `--mem` on the command
    /// line drops `SBATCH_MEM_PER_CPU`, while both on one command line remain for the command to
    /// refuse.
    public Option<T> outranks(String... names) {
        return copy(letter, summary, variables, aliases, replaces, Set.of(names), supported);
    }

    /// Known to Slurm but not served yet: using it is an error that says so.
    public Option<T> unsupported() {
        return copy(letter, summary, variables, aliases, replaces, outranks, false);
    }

    private Option<T> copy(
            @Nullable Character newLetter,
            String newSummary,
            List<String> newVariables,
            List<String> newAliases,
            Set<String> newReplaces,
            Set<String> newOutranks,
            boolean newSupported) {
        return new Option<>(
                name,
                newLetter,
                takes,
                parser,
                bareValue,
                placeholder,
                newSummary,
                newVariables,
                newAliases,
                newReplaces,
                newOutranks,
                newSupported);
    }

    public String name() {
        return name;
    }

    @Nullable Character letter() {
        return letter;
    }

    Takes takes() {
        return takes;
    }

    T parse(String text) {
        return parser.apply(text);
    }

    String bareValue() {
        return bareValue;
    }

    String summary() {
        return summary;
    }

    List<String> variables() {
        return variables;
    }

    Set<String> replaces() {
        return replaces;
    }

    Set<String> outranks() {
        return outranks;
    }

    boolean isSupported() {
        return supported;
    }

    List<String> names() {
        var names = new ArrayList<String>(1 + aliases.size());
        names.add(name);
        names.addAll(aliases);
        return names;
    }

    /// `-t, --time=TIME`
    String spelling() {
        var start = letter == null ? "    " : "-" + letter + ", ";
        return start + "--" + name + valueSpelling();
    }

    /// `[-t TIME]` or `[--time=TIME]`
    String shortSpelling() {
        if (letter == null) {
            return "[--" + name + valueSpelling() + "]";
        }
        return switch (takes) {
            case NOTHING -> "[-" + letter + "]";
            case VALUE -> "[-" + letter + " " + placeholder + "]";
            case OPTIONAL_VALUE, OPTIONAL_VALUE_OR_NEXT_WORD ->
                    "[-" + letter + "[" + placeholder + "]]";
        };
    }

    private String valueSpelling() {
        return switch (takes) {
            case NOTHING -> "";
            case VALUE -> "=" + placeholder;
            case OPTIONAL_VALUE, OPTIONAL_VALUE_OR_NEXT_WORD -> "[=" + placeholder + "]";
        };
    }

    @Override
    public String toString() {
        return "--" + name;
    }
}
