package dev.spur.runtime.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A configuration seen key by key.
final class Effective {
    private Effective() {}

    static String render(Record config) {
        var text = new StringBuilder();
        flat(config, "", false)
                .forEach((key, value) -> text.append(key).append(" = ").append(value).append('\n'));
        return text.toString();
    }

    static List<String> changedButNotLive(SpurConfig older, SpurConfig newer) {
        var before = flat(older, "", true);
        var after = flat(newer, "", true);
        var changed = new ArrayList<String>();
        before.forEach((key, value) -> {
            if (!Objects.equals(value, after.get(key))) {
                changed.add(key);
            }
        });
        return List.copyOf(changed);
    }

    /// Every key below `path` with its value, in the order of the records.
    private static Map<String, Object> flat(Record section, String path, boolean onlyNotLive) {
        var values = new LinkedHashMap<String, Object>();
        for (var entry : Keys.of(section.getClass()).entries()) {
            var key = path.isEmpty() ? entry.key() : path + "." + entry.key();
            var value = entry.valueIn(section);
            if (value instanceof Record nested && isSection(nested.getClass())) {
                values.putAll(flat(nested, key, onlyNotLive));
            } else if (value instanceof List<?> list
                    && !list.isEmpty()
                    && isSection(list.getFirst().getClass())) {
                for (int i = 0; i < list.size(); i++) {
                    values.putAll(flat((Record) list.get(i), key + "[" + i + "]", onlyNotLive));
                }
            } else if (!(onlyNotLive && (entry.isLive() || entry.isNotYetUsed()))) {
                values.put(
                        key,
                        onlyNotLive
                                ? Objects.requireNonNullElse(value, "")
                                : written(value, entry.unit()));
            }
        }
        return values;
    }

    /// A record of ours with keys inside, as opposed to a value like an address.
    static boolean isSection(Class<?> type) {
        return type.isRecord()
                && type.getPackage() == Effective.class.getPackage()
                && Arrays.stream(type.getFields())
                        .anyMatch(field -> field.getName().equals("DEFAULTS"));
    }

    /// As the file would write it; a duration in the key's unit.
    static String written(@Nullable Object value, Duration unit) {
        return switch (value) {
            case null -> "(none)";
            case Duration duration -> String.valueOf(duration.dividedBy(unit));
            case Number number -> number.toString();
            case Boolean bool -> bool.toString();
            case Enum<?> constant -> "\"" + constant.name().toLowerCase(Locale.ROOT) + "\"";
            case List<?> list -> list.stream().map(item -> written(item, unit)).toList().toString();
            case Map<?, ?> map -> new TreeMap<>(map).toString();
            default -> "\"" + value + "\"";
        };
    }
}
