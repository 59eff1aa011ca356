package dev.spur.runtime.process;

import dev.spur.model.notation.NearestName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// What was given on a daemon's command line: `--name value`, `--name=value`, `-n value`,
/// `-nvalue`, and letters without values together, as in `-DV`. A flag given twice counts the last
/// time, unless all of its {@link #values} are asked for.
public final class Flags {
    private final Map<Flag, List<String>> given;

    private Flags(Map<Flag, List<String>> given) {
        this.given = given;
    }

    public static Flags parse(List<Flag> known, String... arguments) {
        var parser = new Parser(known, List.of(arguments));
        parser.run();
        return new Flags(parser.given);
    }

    /// One line a flag.
    public static String usage(String program, List<Flag> known) {
        return known.stream()
                .map(flag -> "  %-28s %s%n".formatted(flag.spelled(), flag.help()))
                .collect(Collectors.joining("", "Usage: %s [FLAG...]%n%n".formatted(program), ""));
    }

    public boolean has(Flag flag) {
        return given.containsKey(flag);
    }

    public Optional<String> value(Flag flag) {
        return Optional.ofNullable(given.get(flag)).map(List::getLast);
    }

    /// All values of a flag that may be repeated, as given.
    public List<String> values(Flag flag) {
        return List.copyOf(given.getOrDefault(flag, List.of()));
    }

    private static final class Parser {
        private final List<Flag> known;
        private final List<String> arguments;
        private final Map<Flag, List<String>> given = new LinkedHashMap<>();
        private int next;

        Parser(List<Flag> known, List<String> arguments) {
            this.known = known;
            this.arguments = arguments;
        }

        void run() {
            while (next < arguments.size()) {
                var argument = arguments.get(next++);
                if (argument.startsWith("--") && argument.length() > 2) {
                    longFlag(argument.substring(2));
                } else if (argument.startsWith("-") && argument.length() > 1) {
                    letters(argument.substring(1));
                } else {
                    throw new UsageException(
                            "unexpected \"%s\": only flags are understood".formatted(argument));
                }
            }
        }

        private void longFlag(String text) {
            int equals = text.indexOf('=');
            var name = equals < 0 ? text : text.substring(0, equals);
            var flag =
                    known.stream()
                            .filter(candidate -> candidate.name().equals(name))
                            .findFirst()
                            .orElseThrow(() -> unknown("--" + name));
            if (!flag.takesValue()) {
                if (equals >= 0) {
                    throw new UsageException("--%s takes no value".formatted(name));
                }
                add(flag, "");
            } else {
                add(flag, equals < 0 ? following("--" + name, flag) : text.substring(equals + 1));
            }
        }

        private void letters(String text) {
            for (int i = 0; i < text.length(); i++) {
                char letter = text.charAt(i);
                var flag =
                        known.stream()
                                .filter(candidate -> candidate.letter() == letter)
                                .findFirst()
                                .orElseThrow(() -> unknown("-" + letter));
                if (flag.takesValue()) {
                    var rest = text.substring(i + 1);
                    add(flag, rest.isEmpty() ? following("-" + letter, flag) : rest);
                    return;
                }
                add(flag, "");
            }
        }

        private String following(String spelled, Flag flag) {
            if (next >= arguments.size()) {
                throw new UsageException(
                        "%s needs a value: %s %s".formatted(spelled, spelled, flag.value()));
            }
            return arguments.get(next++);
        }

        private void add(Flag flag, String value) {
            given.computeIfAbsent(flag, _ -> new ArrayList<>()).add(value);
        }

        private UsageException unknown(String spelled) {
            var names = known.stream().map(flag -> "--" + flag.name()).toList();
            var hint =
                    NearestName.suggest(spelled, names)
                            .map(meant -> " Did you mean \"%s\"?".formatted(meant))
                            .orElse(" See --help.");
            return new UsageException("unknown flag \"%s\".%s".formatted(spelled, hint));
        }
    }
}
