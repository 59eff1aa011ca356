package dev.spur.cli.options;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a command was asked for: the value of each option after all sources were weighed, and the
/// words that are not options.
public final class Arguments {
    private final Map<String, Given> given;
    private final List<String> operands;

    /// Every value that the winning source gave for one option.
    private record Given(Source source, List<Value> values) {}

    private record Value(@Nullable Object parsed, String text) {}

    private Arguments(Map<String, Given> given, List<String> operands) {
        this.given = given;
        this.operands = List.copyOf(operands);
    }

    public boolean has(Option<?> option) {
        return given.containsKey(option.name());
    }

    public boolean hasAny(Option<?>... options) {
        for (var option : options) {
            if (has(option)) {
                return true;
            }
        }
        return false;
    }

    /// The option's value; the last one when it was given several times.
    public <T> Optional<T> get(Option<T> option) {
        var all = all(option);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast());
    }

    public <T> T get(Option<T> option, T fallback) {
        return get(option).orElse(fallback);
    }

    /// Every value in the order given.
    @SuppressWarnings(
            "unchecked") // only OptionTable puts values here, each made by its option's own parser
    public <T> List<T> all(Option<T> option) {
        var found = given.get(option.name());
        return found == null
                ? List.of()
                : found.values().stream().map(value -> (T) value.parsed()).toList();
    }

    /// How often a flag was given: `-vvv` is 3.
    public int count(Option<?> option) {
        var found = given.get(option.name());
        return found == null ? 0 : found.values().size();
    }

    /// The option's last value as it was written.
    public Optional<String> text(Option<?> option) {
        var found = given.get(option.name());
        return found == null ? Optional.empty() : Optional.of(found.values().getLast().text());
    }

    public Optional<Source> source(Option<?> option) {
        var found = given.get(option.name());
        return found == null ? Optional.empty() : Optional.of(found.source());
    }

    /// Every option given, by long name, with its text: in the order of first use.
    public Map<String, String> texts() {
        var texts = new LinkedHashMap<String, String>();
        given.forEach((name, found) -> texts.put(name, found.values().getLast().text()));
        return texts;
    }

    public List<String> operands() {
        return operands;
    }

    /// Gathers the sources from the weakest to the strongest.
    static final class Gathering {
        private final Map<String, Given> given = new LinkedHashMap<>();
        private final List<String> operands = new ArrayList<>();

        <T> void put(Option<T> option, T parsed, String text, Source source) {
            option.replaces().forEach(given::remove);
            for (var other : option.outranks()) {
                var before = given.get(other);
                if (before != null && before.source() != source) {
                    given.remove(other);
                }
            }
            var before = given.get(option.name());
            if (before == null || before.source() != source) {
                before = new Given(source, new ArrayList<>());
                given.put(option.name(), before);
            }
            before.values().add(new Value(parsed, text));
        }

        void operand(String word) {
            operands.add(word);
        }

        Arguments done() {
            return new Arguments(given, operands);
        }
    }
}
