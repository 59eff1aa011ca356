package dev.spur.cli.format;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedCollection;

/// All fields of one kind of row.
public final class FieldTable<R> {
    private final String noun;
    private final Map<Character, Field<R>> byLetter = new LinkedHashMap<>();
    private final Map<String, Field<R>> byName = new HashMap<>();
    private final List<Field<R>> fields;

    /// @param noun what a row is called in complaints: `job`, `node`
    public FieldTable(String noun, List<Field<R>> fields) {
        this.noun = noun;
        this.fields = List.copyOf(fields);
        for (var field : fields) {
            if (field.letter() != Field.NO_LETTER) {
                require(byLetter.put(field.letter(), field) == null, "%" + field.letter());
            }
            for (var name : field.names()) {
                require(byName.put(name, field) == null, name);
            }
        }
    }

    private static void require(boolean isNew, String name) {
        if (!isNew) {
            throw new IllegalArgumentException("two fields " + name);
        }
    }

    String noun() {
        return noun;
    }

    Optional<Field<R>> byLetter(char letter) {
        return Optional.ofNullable(byLetter.get(letter));
    }

    Optional<Field<R>> byName(String name) {
        return Optional.ofNullable(byName.get(name.toLowerCase(Locale.ROOT)));
    }

    SequencedCollection<Field<R>> withLetters() {
        return List.copyOf(byLetter.values());
    }

    /// Every long name, in table order, for `--helpFormat`.
    public List<String> names() {
        return fields.stream().flatMap(field -> field.names().stream()).toList();
    }
}
