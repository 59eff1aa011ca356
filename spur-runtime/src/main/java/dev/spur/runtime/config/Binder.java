package dev.spur.runtime.config;

import dev.spur.model.notation.NearestName;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// Turns the parsed file into section records and remembers everything that is wrong on the way.
///
/// A value that cannot be used is reported and replaced by its default, so that the rest is still
/// checked.
final class Binder {
    private final String file;
    private final KeyLines lines;
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final List<String> notYetUsed = new ArrayList<>();

    Binder(String file, KeyLines lines) {
        this.file = file;
        this.lines = lines;
    }

    List<String> problems() {
        return problems;
    }

    List<String> warnings() {
        return warnings;
    }

    List<String> notYetUsed() {
        return notYetUsed;
    }

    <T extends Record> T bind(Class<T> type, JsonNode table, String path, T defaults) {
        var keys = Keys.of(type);
        rejectUnknown(table, path, keys);
        var values = new ArrayList<@Nullable Object>();
        for (var entry : keys.entries()) {
            values.add(valueOf(entry, table, path, defaults));
        }
        return construct(type, values, path, defaults);
    }

    void problem(String path, String text) {
        problems.add(place(path) + text);
    }

    void warn(String path, String text) {
        warnings.add(place(path) + text);
    }

    private String place(String path) {
        var line = lines.of(path);
        return line.isPresent() ? "%s line %d: ".formatted(file, line.getAsInt()) : file + ": ";
    }

    private @Nullable Object valueOf(
            Keys.Entry entry, JsonNode table, String path, Record defaults) {
        var key = entry.key();
        var node = table.get(key);
        if (node == null && !entry.formerKey().isEmpty()) {
            node = table.get(entry.formerKey());
            if (node != null) {
                key = entry.formerKey();
                warn(
                        join(path, key),
                        "\"%s\" is now called \"%s\"; the old name still works."
                                .formatted(join(path, key), join(path, entry.key())));
            }
        }
        var fallback = entry.valueIn(defaults);
        if (node == null) {
            if (entry.isRequired()) {
                problem(path, "%s is missing.".formatted(join(path, key)));
            }
            return fallback;
        }
        var at = join(path, key);
        try {
            var value = convert(node, entry.component(), entry, at, fallback);
            if (entry.isNotYetUsed() && !value.equals(fallback)) {
                notYetUsed.add(
                        place(at)
                                + "\"%s\" is known, but this release does not use it yet."
                                        .formatted(general(at)));
            }
            return value;
        } catch (IllegalArgumentException e) {
            problem(at, "%s %s.".formatted(at, e.getMessage()));
            return fallback;
        }
    }

    private Object convert(
            JsonNode node,
            RecordComponent component,
            Keys.Entry entry,
            String at,
            @Nullable Object fallback) {
        return convert(
                node, component.getGenericType(), component.getType(), entry.unit(), at, fallback);
    }

    private Object convert(
            JsonNode node,
            Type type,
            Class<?> raw,
            Duration unit,
            String at,
            @Nullable Object fallback) {
        if (raw == String.class) {
            return text(node);
        } else if (raw == boolean.class) {
            return bool(node);
        } else if (raw == int.class || raw == Integer.class) {
            return Math.toIntExact(whole(node, Integer.MAX_VALUE));
        } else if (raw == long.class || raw == Long.class) {
            return whole(node, Long.MAX_VALUE);
        } else if (raw == Duration.class) {
            return unit.multipliedBy(whole(node, Long.MAX_VALUE / 1_000_000));
        } else if (raw == Path.class) {
            return Path.of(text(node));
        } else if (raw == List.class) {
            return list(node, argument(type, 0), unit, at);
        } else if (raw == Map.class) {
            return map(node, argument(type, 1), unit, at);
        }
        var parse = parseMethod(raw);
        if (parse != null) {
            return invokeParse(parse, node.isNumber() ? node.asString() : text(node));
        } else if (raw.isEnum()) {
            return constant(raw, text(node));
        } else if (raw.isRecord()) {
            return section(node, raw.asSubclass(Record.class), at, fallback);
        }
        throw new IllegalStateException("no rule to read " + type + " for " + at);
    }

    private <T extends Record> T section(
            JsonNode node, Class<T> type, String at, @Nullable Object fallback) {
        if (!node.isObject()) {
            throw new IllegalArgumentException(
                    "must be a table, as in [%s]".formatted(general(at)));
        }
        return bind(type, node, at, fallback == null ? defaultsOf(type) : type.cast(fallback));
    }

    private List<Object> list(JsonNode node, Class<?> element, Duration unit, String at) {
        if (!node.isArray()) {
            throw new IllegalArgumentException(
                    element.isRecord() && parseMethod(element) == null
                            ? "must be a list of tables, each beginning with [[%s]]"
                                    .formatted(general(at))
                            : "must be a list, as in [\"a\", \"b\"]");
        }
        var items = new ArrayList<Object>();
        int index = 0;
        for (var item : node) {
            items.add(convert(item, element, element, unit, at + "[" + index++ + "]", null));
        }
        return items;
    }

    private Map<String, Object> map(JsonNode node, Class<?> value, Duration unit, String at) {
        if (!node.isObject()) {
            throw new IllegalArgumentException("must be a table, as in { name = \"value\" }");
        }
        var entries = new LinkedHashMap<String, Object>();
        for (var entry : node.properties()) {
            entries.put(
                    entry.getKey(),
                    convert(entry.getValue(), value, value, unit, at + "." + entry.getKey(), null));
        }
        return entries;
    }

    private static String text(JsonNode node) {
        if (!node.isString()) {
            throw new IllegalArgumentException(
                    "must be a text in quotes, was %s".formatted(shown(node)));
        }
        return node.stringValue();
    }

    private static boolean bool(JsonNode node) {
        if (!node.isBoolean()) {
            throw new IllegalArgumentException(
                    "must be true or false, was %s".formatted(shown(node)));
        }
        return node.booleanValue();
    }

    private static long whole(JsonNode node, long highest) {
        if (!node.isIntegralNumber() || !node.canConvertToLong()) {
            throw new IllegalArgumentException(
                    "must be a whole number, was %s".formatted(shown(node)));
        }
        if (node.longValue() > highest || node.longValue() < -highest) {
            throw new IllegalArgumentException(
                    "must not be beyond %d, was %s".formatted(highest, shown(node)));
        }
        return node.longValue();
    }

    private static Object constant(Class<?> type, String text) {
        var constants = Arrays.stream(type.getEnumConstants()).map(Enum.class::cast).toList();
        return constants.stream()
                .filter(constant -> constant.name().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "must be one of %s, was \"%s\""
                                        .formatted(
                                                constants.stream()
                                                        .map(constant ->
                                                                constant.name()
                                                                        .toLowerCase(Locale.ROOT))
                                                        .collect(Collectors.joining(", ")),
                                                text)));
    }

    private static @Nullable Method parseMethod(Class<?> type) {
        try {
            var method = type.getDeclaredMethod("parse", String.class);
            method.setAccessible(true);
            return Modifier.isStatic(method.getModifiers()) ? method : null;
        } catch (NoSuchMethodException _) {
            return null;
        }
    }

    private static Object invokeParse(Method parse, String text) {
        try {
            return parse.invoke(null, text);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException refused) {
                throw new IllegalArgumentException(
                        "cannot be used: " + refused.getMessage(), refused);
            }
            throw new IllegalStateException(e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private <T extends Record> T construct(
            Class<T> type, List<@Nullable Object> values, String path, T defaults) {
        try {
            return canonical(type).newInstance(values.toArray());
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Rules.Violation violation) {
                for (var broken : violation.broken()) {
                    var at = join(path, broken.key());
                    problem(at, "%s %s.".formatted(at, broken.because()));
                }
                return defaults;
            }
            throw new IllegalStateException("cannot make " + type, e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make " + type, e);
        }
    }

    private static <T extends Record> Constructor<T> canonical(Class<T> type)
            throws NoSuchMethodException {
        var types =
                Arrays.stream(type.getRecordComponents())
                        .map(RecordComponent::getType)
                        .toArray(Class<?>[]::new);
        return type.getDeclaredConstructor(types);
    }

    private static <T extends Record> T defaultsOf(Class<T> type) {
        try {
            return type.cast(type.getField("DEFAULTS").get(null));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " has no DEFAULTS", e);
        }
    }

    private static Class<?> argument(Type type, int index) {
        return (Class<?>) ((ParameterizedType) type).getActualTypeArguments()[index];
    }

    private void rejectUnknown(JsonNode table, String path, Keys keys) {
        for (var given : table.properties()) {
            var known =
                    keys.entries().stream()
                            .anyMatch(e ->
                                    e.key().equals(given.getKey())
                                            || e.formerKey().equals(given.getKey()));
            if (!known) {
                problem(join(path, given.getKey()), unknown(given.getKey(), general(path), keys));
            }
        }
    }

    private static String unknown(String key, String path, Keys keys) {
        var nearest =
                NearestName.suggest(key, keys.entries().stream().map(Keys.Entry::key).toList());
        var text = "unknown key \"%s\".".formatted(join(path, key));
        return nearest.map(meant -> text + " Did you mean \"%s\"?".formatted(join(path, meant)))
                .orElseGet(() ->
                        text
                                + " Known here: "
                                + keys.entries().stream()
                                        .map(Keys.Entry::key)
                                        .collect(Collectors.joining(", "))
                                + ".");
    }

    private static String shown(JsonNode node) {
        return node.isContainer() ? (node.isArray() ? "a list" : "a table") : node.toString();
    }

    private static String join(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    /// `partitions[3].name` as people call it: `partitions.name`.
    private static String general(String path) {
        return path.replaceAll("\\[[0-9]+]", "");
    }
}
