package dev.spur.cli.options;

import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.model.notation.NotationException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// All options of one command. A tool keeps its table in a constant and runs by it:
///
/// ```java
/// private static final Option<String> USERS = Option.text("user", "USERS").letter('u').from("SQUEUE_USERS");
/// private static final OptionTable TABLE = OptionTable.of("[OPTIONS]").options(USERS);
///
/// public int run(Invocation in) throws Exception {
///     return TABLE.run(in, arguments -> list(in, arguments));
/// }
/// ```
///
/// `--help`, `--usage` and `--version` are answered here, as is a call that is wrong.
public final class OptionTable {
    private static final Option<Boolean> HELP =
            Option.flag("help").help("say what the options mean");
    private static final Option<Boolean> USAGE =
            Option.flag("usage").help("list the options briefly");
    private static final Option<Boolean> VERSION =
            Option.flag("version").letter('V').help("print the version");

    private final String synopsis;
    private final boolean permuting;
    private final int usageExitCode;
    private final List<Option<?>> options;
    private final Map<String, Option<?>> byName = new LinkedHashMap<>();
    private final Map<Character, Option<?>> byLetter = new LinkedHashMap<>();

    /// The command itself, given its arguments.
    @FunctionalInterface
    public interface Body {
        int run(Arguments arguments) throws Exception;
    }

    private OptionTable(
            String synopsis, boolean permuting, int usageExitCode, List<Option<?>> options) {
        this.synopsis = synopsis;
        this.permuting = permuting;
        this.usageExitCode = usageExitCode;
        this.options = List.copyOf(options);
        for (var option : options) {
            option.names()
                    .forEach(name ->
                            require(byName.put(name, option) == null, "two options --" + name));
            var letter = option.letter();
            require(
                    letter == null || byLetter.put(letter, option) == null,
                    "two options -" + letter);
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /// A table with `--help`, `--usage` and `-V`. Options may follow operands; a wrong call exits
    /// with 1.
    public static OptionTable of(String synopsis) {
        return new OptionTable(synopsis, true, 1, List.of(HELP, USAGE, VERSION));
    }

    public OptionTable options(Option<?>... more) {
        return options(Arrays.asList(more));
    }

    public OptionTable options(Collection<? extends Option<?>> more) {
        var all = new ArrayList<>(more.stream().<Option<?>>map(option -> option).toList());
        all.addAll(0, options.subList(0, options.size() - 3));
        all.addAll(options.subList(options.size() - 3, options.size()));
        return new OptionTable(synopsis, permuting, usageExitCode, all);
    }

    /// The first operand ends the options, since the words after it belong to somebody else's
    /// program.
    public OptionTable operandsEndOptions() {
        return new OptionTable(synopsis, false, usageExitCode, options);
    }

    public OptionTable usageExitCode(int code) {
        return new OptionTable(synopsis, permuting, code, options);
    }

    /// Also answers `-h` with the help text, where the letter is free.
    public OptionTable helpLetter() {
        var changed = new ArrayList<>(options);
        changed.replaceAll(option -> option.name().equals("help") ? option.letter('h') : option);
        return new OptionTable(synopsis, permuting, usageExitCode, changed);
    }

    /// Runs the command with its arguments from environment and command line.
    public int run(Invocation in, Body body) throws Exception {
        return run(in, in.args(), body);
    }

    /// As [#run], with a command line that another command made.
    public int run(Invocation in, List<String> words, Body body) throws Exception {
        return answering(
                in,
                () -> {
                    var gathering = gather();
                    gathering.environment(in.environment());
                    gathering.words(words, Source.COMMAND_LINE, permuting);
                    return answer(in, gathering, body);
                });
    }

    /// As [#run], with further options, weakest of all, that the command finds by looking at its
    /// first reading of the command line: `#SBATCH` lines of the script named there.
    public int run(Invocation in, Directives directives, Body body) throws Exception {
        return answering(
                in,
                () -> {
                    var first = gather();
                    first.words(in.args(), Source.COMMAND_LINE, permuting);
                    if (first.asksForHelp()) {
                        return answer(in, first, body);
                    }
                    var gathering = gather();
                    for (var line : directives.find(first.done())) {
                        gathering.directive(line);
                    }
                    gathering.environment(in.environment());
                    gathering.words(in.args(), Source.COMMAND_LINE, permuting);
                    return answer(in, gathering, body);
                });
    }

    /// Finds the options written in a script: one list of words per line.
    @FunctionalInterface
    public interface Directives {
        List<List<String>> find(Arguments commandLine) throws Exception;
    }

    private int answering(Invocation in, Attempt attempt) throws Exception {
        try {
            return attempt.run();
        } catch (UsageException wrong) {
            in.err().println(in.program() + ": " + wrong.text());
            in.err().println("Try \"" + in.program() + " --help\" for more information");
            return usageExitCode;
        } catch (Refusal refusal) {
            in.err().println(refusal.text());
            return refusal.exitCode();
        } catch (Answer answer) {
            in.out().println(answer.text());
            return 0;
        }
    }

    @FunctionalInterface
    private interface Attempt {
        int run() throws Exception;
    }

    private int answer(Invocation in, Gathering gathering, Body body) throws Exception {
        var arguments = gathering.done();
        if (arguments.has(VERSION)) {
            in.out().println(SlurmVersion.LINE);
            return 0;
        }
        if (arguments.has(HELP)) {
            in.out().print(help(in.program()));
            return 0;
        }
        if (arguments.has(USAGE)) {
            in.out().print(usage(in.program()));
            return 0;
        }
        return body.run(arguments);
    }

    Gathering gather() {
        return new Gathering();
    }

    private String help(String program) {
        var text = new StringBuilder("Usage: " + program + " " + synopsis + "\n\n");
        for (var option : options) {
            if (!option.isSupported()) {
                continue;
            }
            var spelling = "  " + option.spelling();
            text.append(spelling);
            if (!option.summary().isEmpty()) {
                var gap = 34 - spelling.length();
                text.append(gap > 1 ? " ".repeat(gap) : "\n" + " ".repeat(34))
                        .append(option.summary());
            }
            text.append('\n');
        }
        var later =
                options.stream()
                        .filter(option -> !option.isSupported())
                        .map(option -> "--" + option.name())
                        .toList();
        if (!later.isEmpty()) {
            text.append("\nKnown to Slurm, not supported yet:");
            wrap(text, later, 2, 96);
        }
        return text.toString();
    }

    private String usage(String program) {
        var text = new StringBuilder("Usage: " + program);
        var words =
                new ArrayList<>(
                        options.stream()
                                .filter(Option::isSupported)
                                .map(Option::shortSpelling)
                                .toList());
        words.add(synopsis.replace("[OPTIONS...] ", "").replace("[OPTIONS...]", ""));
        wrap(text, words, 8 + program.length(), 96);
        return text.toString();
    }

    private static void wrap(StringBuilder text, List<String> words, int indent, int width) {
        var column = text.length() - 1 - text.lastIndexOf("\n");
        for (var word : words) {
            if (word.isEmpty()) {
                continue;
            }
            if (column + 1 + word.length() > width) {
                text.append('\n').append(" ".repeat(indent - 1));
                column = indent - 1;
            }
            text.append(' ').append(word);
            column += 1 + word.length();
        }
        text.append('\n');
    }

    /// One reading of a command's words.
    final class Gathering {
        private final Arguments.Gathering arguments = new Arguments.Gathering();

        Arguments done() {
            return arguments.done();
        }

        boolean asksForHelp() {
            return done().hasAny(HELP, USAGE, VERSION);
        }

        void environment(Map<String, String> environment) {
            for (var option : options) {
                for (var variable : option.variables()) {
                    var value = environment.get(variable);
                    if (value != null
                            && !(option.takes() == Option.Takes.NOTHING && !isSet(value))) {
                        put(
                                option,
                                value.isEmpty() ? option.bareValue() : value,
                                Source.ENVIRONMENT,
                                variable);
                        break;
                    }
                }
            }
        }

        /// A flag variable counts when it is empty, `yes` or a number that is not zero.
        private static boolean isSet(String value) {
            if (value.isEmpty() || value.toLowerCase(Locale.ROOT).startsWith("y")) {
                return true;
            }
            return value.matches("[+-]?\\d+") && !value.matches("[+-]?0+");
        }

        void directive(List<String> line) {
            var before = arguments.done().operands().size();
            words(line, Source.DIRECTIVE, true);
            var operands = arguments.done().operands();
            if (operands.size() > before) {
                throw new Failure(
                        usageExitCode,
                        "Invalid directive found in batch script: " + operands.getLast());
            }
        }

        void words(List<String> words, Source source, boolean permute) {
            for (int at = 0; at < words.size(); at++) {
                var word = words.get(at);
                if (word.equals("--")) {
                    words.subList(at + 1, words.size()).forEach(arguments::operand);
                    return;
                }
                if (word.startsWith("--")) {
                    at += longOption(word, words, at, source);
                } else if (word.length() > 1 && word.startsWith("-")) {
                    at += cluster(word, words, at, source);
                } else if (permute) {
                    arguments.operand(word);
                } else {
                    words.subList(at, words.size()).forEach(arguments::operand);
                    return;
                }
            }
        }

        /// Takes `--name`, `--name=value` or `--name value`; returns how many further words it
        /// used.
        private int longOption(String word, List<String> words, int at, Source source) {
            int equals = word.indexOf('=');
            var written = equals < 0 ? word.substring(2) : word.substring(2, equals);
            var attached = equals < 0 ? null : word.substring(equals + 1);
            var option = find(written, word);
            var spelled = "--" + option.name();
            switch (option.takes()) {
                case NOTHING -> {
                    if (attached != null) {
                        throw new UsageException(
                                "option '" + spelled + "' doesn't allow an argument");
                    }
                    put(option, option.bareValue(), source, null);
                    return 0;
                }
                case VALUE -> {
                    if (attached != null) {
                        put(option, attached, source, null);
                        return 0;
                    }
                    if (at + 1 >= words.size()) {
                        throw new UsageException("option '" + spelled + "' requires an argument");
                    }
                    put(option, words.get(at + 1), source, null);
                    return 1;
                }
                case OPTIONAL_VALUE, OPTIONAL_VALUE_OR_NEXT_WORD -> {
                    return optional(option, attached, words, at, source);
                }
            }
            throw new IllegalStateException("unreachable");
        }

        private int optional(
                Option<?> option,
                @Nullable String attached,
                List<String> words,
                int at,
                Source source) {
            if (attached != null) {
                put(option, attached, source, null);
                return 0;
            }
            if (option.takes() == Option.Takes.OPTIONAL_VALUE_OR_NEXT_WORD
                    && at + 1 < words.size()
                    && !words.get(at + 1).startsWith("-")) {
                put(option, words.get(at + 1), source, null);
                return 1;
            }
            put(option, option.bareValue(), source, null);
            return 0;
        }

        /// Takes `-abc`, `-tVALUE` or `-t VALUE`; returns how many further words it used.
        private int cluster(String word, List<String> words, int at, Source source) {
            for (int i = 1; i < word.length(); i++) {
                var option = byLetter.get(word.charAt(i));
                if (option == null) {
                    throw new UsageException("invalid option -- '" + word.charAt(i) + "'");
                }
                var rest = word.substring(i + 1);
                switch (option.takes()) {
                    case NOTHING -> put(option, option.bareValue(), source, null);
                    case VALUE -> {
                        if (!rest.isEmpty()) {
                            put(option, rest, source, null);
                            return 0;
                        }
                        if (at + 1 >= words.size()) {
                            throw new UsageException(
                                    "option requires an argument -- '" + word.charAt(i) + "'");
                        }
                        put(option, words.get(at + 1), source, null);
                        return 1;
                    }
                    case OPTIONAL_VALUE, OPTIONAL_VALUE_OR_NEXT_WORD -> {
                        return optional(option, rest.isEmpty() ? null : rest, words, at, source);
                    }
                }
            }
            return 0;
        }

        /// The option of that long name or of a prefix that only one has. Names of old with
        /// underscores still work.
        private Option<?> find(String written, String word) {
            var name = written.replace('_', '-');
            var exact = byName.get(name);
            if (exact != null) {
                return exact;
            }
            var matching = new LinkedHashSet<Option<?>>();
            var spellings = new ArrayList<String>();
            byName.forEach((candidate, option) -> {
                if (candidate.startsWith(name)) {
                    matching.add(option);
                    spellings.add("'--" + candidate + "'");
                }
            });
            if (matching.isEmpty()) {
                throw new UsageException("unrecognized option '" + word + "'");
            }
            if (matching.size() > 1) {
                throw new UsageException(
                        "option '"
                                + word
                                + "' is ambiguous; possibilities: "
                                + String.join(" ", spellings));
            }
            return matching.iterator().next();
        }

        private <T> void put(
                Option<T> option, String text, Source source, @Nullable String variable) {
            if (!option.isSupported()) {
                throw new Failure(
                        "option --"
                                + option.name()
                                + (variable == null ? "" : " (set by " + variable + ")")
                                + " is not supported yet");
            }
            arguments.put(option, parsed(option, text, variable), text, source);
        }

        private <T> T parsed(Option<T> option, String text, @Nullable String variable) {
            try {
                return option.parse(text);
            } catch (IllegalArgumentException | NotationException _) {
                var because = variable == null ? "" : " (" + variable + "=" + text + ")";
                throw new Failure(
                        usageExitCode, "Invalid --" + option.name() + " specification" + because);
            }
        }
    }
}
