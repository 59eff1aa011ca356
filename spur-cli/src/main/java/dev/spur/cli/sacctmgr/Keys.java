package dev.spur.cli.sacctmgr;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Keys that may be abbreviated: by a name in full, else by the beginning of one, whichever comes
/// first in the list.
final class Keys {
    private final List<Key> keys;

    /// @param names in lower case; the first is the one the controller knows
    /// @param label for the summary of what will be set
    record Key(List<String> names, String label) {
        Key {
            names = List.copyOf(names);
        }

        String name() {
            return names.getFirst();
        }
    }

    static Key key(String label, String... names) {
        return new Key(List.of(names), label);
    }

    Keys(List<Key> keys) {
        this.keys = List.copyOf(keys);
    }

    List<Key> all() {
        return keys;
    }

    Optional<Key> find(String text) {
        var lower = text.toLowerCase(Locale.ROOT);
        if (lower.isEmpty()) {
            return Optional.empty();
        }
        return keys.stream()
                .filter(key -> key.names().contains(lower))
                .findFirst()
                .or(() ->
                        keys.stream()
                                .filter(key ->
                                        key.names().stream()
                                                .anyMatch(name -> name.startsWith(lower)))
                                .findFirst());
    }
}
