package dev.spur.rest.http;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// An object that somebody sent. Whoever reads a member says what it must be; numbers may come as
/// texts and in Slurm's form `{set, infinite, number}`.
public final class Body {
    private static final int DEEPEST = 64;
    private static final JsonMapper JSON =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(DEEPEST)
                                                    .build())
                                    .build())
                    .build();
    private static final YAMLMapper YAML = new YAMLMapper(new YAMLFactory());

    private final JsonNode node;
    private final String path;

    private Body(JsonNode node, String path) {
        this.node = node;
        this.path = path;
    }

    /// @throws Refusal if it is no object
    public static Body of(Request request) {
        var type = request.header("content-type").orElse(Reply.JSON).split(";", 2)[0].strip();
        try {
            return switch (type) {
                case "", Reply.JSON, "application/x-www-form-urlencoded", "text/json" ->
                        of(JSON.readTree(request.body()));
                case "application/yaml", "application/x-yaml", "text/yaml" ->
                        of(YAML.readTree(request.body()));
                default ->
                        throw new Refusal(
                                415,
                                9001,
                                "UNKNOWN_MEDIA_TYPE",
                                "Unsupported media type",
                                "the body is %s; JSON and YAML are understood".formatted(type),
                                "Send Content-Type: application/json",
                                0);
            };
        } catch (JacksonException | StackOverflowError e) {
            throw Refusal.unreadable("the body is no JSON: " + firstLine(e.getMessage()));
        }
    }

    private static Body of(@Nullable JsonNode tree) {
        if (tree == null || !tree.isObject()) {
            throw Refusal.unreadable("the body must be an object, {…}");
        }
        return new Body(tree, "");
    }

    private static String firstLine(@Nullable String text) {
        return text == null ? "it cannot be read" : text.lines().findFirst().orElse("");
    }

    public String path() {
        return path.isEmpty() ? "the body" : path;
    }

    public List<String> names() {
        return new ArrayList<>(node.propertyNames());
    }

    public boolean has(String name) {
        return member(name).isPresent();
    }

    private Optional<JsonNode> member(String name) {
        return Optional.ofNullable(node.get(name)).filter(found -> !found.isNull());
    }

    private String at(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    private Refusal wrong(String name, String wanted) {
        return Refusal.unreadable("%s must be %s".formatted(at(name), wanted));
    }

    public Optional<Body> object(String name) {
        return member(name)
                .map(found -> {
                    if (!found.isObject()) {
                        throw wrong(name, "an object");
                    }
                    return new Body(found, at(name));
                });
    }

    public List<Body> objects(String name) {
        var list = new ArrayList<Body>();
        for (var item : items(name)) {
            if (!item.isObject()) {
                throw wrong(name, "a list of objects");
            }
            list.add(new Body(item, "%s[%d]".formatted(at(name), list.size())));
        }
        return list;
    }

    public boolean isObject(String name) {
        return member(name).filter(JsonNode::isObject).isPresent();
    }

    public boolean isList(String name) {
        return member(name).filter(JsonNode::isArray).isPresent();
    }

    public boolean isListOfObjects(String name) {
        return isList(name) && items(name).stream().anyMatch(JsonNode::isObject);
    }

    /// The digits of a number of Slurm's form, whole or not.
    public Optional<String> decimal(String name) {
        return member(name)
                .filter(found -> found.path("set").asBoolean(found.has("number")))
                .map(found -> word(found.path("number"), name));
    }

    private List<JsonNode> items(String name) {
        var found = member(name);
        if (found.isEmpty()) {
            return List.of();
        }
        if (!found.get().isArray()) {
            throw wrong(name, "a list");
        }
        return new ArrayList<>(found.get().values());
    }

    /// Empty if it is not there or empty.
    public Optional<String> text(String name) {
        return member(name).map(found -> word(found, name)).filter(text -> !text.isEmpty());
    }

    /// A text, also where it is empty: somebody who clears something.
    public Optional<String> given(String name) {
        return member(name).map(found -> word(found, name));
    }

    private String word(JsonNode found, String name) {
        if (!found.isString() && !found.isNumber() && !found.isBoolean()) {
            throw wrong(name, "a text");
        }
        return found.asString();
    }

    /// A list of texts, or one text with commas.
    public List<String> words(String name) {
        var found = member(name);
        if (found.isPresent() && !found.get().isArray()) {
            return found.map(text -> word(text, name)).stream()
                    .flatMap(text -> List.of(text.split(",", -1)).stream())
                    .map(String::strip)
                    .filter(text -> !text.isEmpty())
                    .toList();
        }
        return items(name).stream().map(item -> word(item, name)).toList();
    }

    /// Lines such as `NAME=value`, from a list or an object.
    public List<String> assignments(String name) {
        var found = member(name);
        if (found.isPresent() && found.get().isObject()) {
            var lines = new ArrayList<String>();
            found.get()
                    .properties()
                    .forEach(entry ->
                            lines.add(entry.getKey() + "=" + word(entry.getValue(), name)));
            return lines;
        }
        return items(name).stream().map(item -> word(item, name)).toList();
    }

    public Optional<Boolean> flag(String name) {
        return member(name)
                .map(found -> {
                    if (found.isBoolean()) {
                        return found.booleanValue();
                    }
                    return switch (word(found, name)) {
                        case "true", "1", "yes" -> true;
                        case "false", "0", "no", "" -> false;
                        default -> throw wrong(name, "true or false");
                    };
                });
    }

    /// Whether a number of Slurm's form has no bound.
    public boolean isInfinite(String name) {
        return member(name)
                .map(found ->
                        found.isObject()
                                ? found.path("infinite").asBoolean(false)
                                : found.isString()
                                        && List.of("infinite", "unlimited")
                                                .contains(
                                                        found.asString()
                                                                .toLowerCase(
                                                                        java.util.Locale.ROOT)))
                .orElse(false);
    }

    /// @throws Refusal if it is no whole number
    public OptionalLong number(String name) {
        var found = member(name);
        if (found.isEmpty() || isInfinite(name)) {
            return OptionalLong.empty();
        }
        var value = found.get();
        if (value.isObject()) {
            var isSet = value.path("set").asBoolean(value.has("number"));
            return isSet
                    ? OptionalLong.of(whole(value.path("number"), name))
                    : OptionalLong.empty();
        }
        if (value.isString() && value.asString().isBlank()) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(whole(value, name));
    }

    private long whole(JsonNode value, String name) {
        try {
            if (value.isNumber() || value.isString()) {
                var number = new BigDecimal(value.asString().strip());
                if (number.precision() - number.scale() < 20) {
                    return number.setScale(0, java.math.RoundingMode.DOWN).longValueExact();
                }
            }
        } catch (NumberFormatException | ArithmeticException e) {
            throw wrong(name, "a whole number");
        }
        throw wrong(name, "a whole number");
    }

    /// A number that fits into 32 bits and is not negative.
    public Optional<Integer> count(String name) {
        var number = number(name);
        if (number.isEmpty()) {
            return Optional.empty();
        }
        if (number.getAsLong() < 0 || number.getAsLong() > Integer.MAX_VALUE) {
            throw wrong(name, "a number from 0 to " + Integer.MAX_VALUE);
        }
        return Optional.of((int) number.getAsLong());
    }

    /// All members that are no lists and no objects, as texts.
    public Map<String, String> texts() {
        var all = new LinkedHashMap<String, String>();
        for (var name : names()) {
            if (member(name).filter(found -> !found.isContainer()).isPresent()) {
                given(name).ifPresent(text -> all.put(name, text));
            }
        }
        return all;
    }
}
