package dev.spur.runtime.http;

import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Writes the OpenAPI 3.1 document of a table of endpoints. Schemas are read off the records that
/// go in and come out, under their own names.
public final class OpenApi {
    private static final List<Integer> ALWAYS = List.of(400, 429, 500, 503);

    private final Map<String, ObjectNode> schemas = new TreeMap<>();
    private final Map<String, Class<?>> named = new LinkedHashMap<>();

    private OpenApi() {}

    /// What stands above the paths.
    ///
    /// @param schemes name and definition of each way to prove who calls
    public record Title(
            String title,
            String version,
            String description,
            Map<String, Map<String, String>> schemes) {}

    public static ObjectNode document(Title title, List<? extends Endpoint<?>> endpoints) {
        return new OpenApi().write(title, endpoints);
    }

    private ObjectNode write(Title title, List<? extends Endpoint<?>> endpoints) {
        var document = Json.MAPPER.createObjectNode();
        document.put("openapi", "3.1.0");
        document.putObject("info")
                .put("title", title.title())
                .put("version", title.version())
                .put("description", title.description());
        var paths = document.putObject("paths");
        for (var endpoint : endpoints) {
            var path = paths.withObjectProperty(endpoint.path());
            path.set(endpoint.method().toLowerCase(Locale.ROOT), operation(endpoint, title));
        }
        var components = document.putObject("components");
        schemaOf(Problem.Document.class);
        var all = components.putObject("schemas");
        schemas.forEach(all::set);
        var ways = components.putObject("securitySchemes");
        title.schemes()
                .forEach((name, scheme) -> {
                    var way = ways.putObject(name);
                    scheme.forEach(way::put);
                });
        return document;
    }

    private ObjectNode operation(Endpoint<?> endpoint, Title title) {
        var operation = Json.MAPPER.createObjectNode();
        operation.put("operationId", endpoint.name());
        operation.putArray("tags").add(endpoint.tag());
        operation.put("summary", endpoint.summary());
        if (!endpoint.isOpen()) {
            operation.put("description", "Needs: " + String.join(", ", endpoint.needs()) + ".");
        }
        var security = operation.putArray("security");
        if (!endpoint.isOpen()) {
            title.schemes().keySet().forEach(way -> security.addObject().putArray(way));
        }
        parameters(endpoint, operation.putArray("parameters"));
        if (endpoint.body() != null) {
            var body = operation.putObject("requestBody");
            body.put("required", true);
            body.putObject("content")
                    .putObject("application/json")
                    .set("schema", schemaOf(endpoint.body()));
        }
        var responses = operation.putObject("responses");
        endpoint.answers()
                .forEach((status, type) -> {
                    var response = responses.putObject(String.valueOf(status));
                    response.put("description", status < 300 ? "Done" : "See Location");
                    if (type != Void.class) {
                        response.putObject("content")
                                .putObject(mediaType(type))
                                .set("schema", schemaOf(type));
                    }
                });
        for (var status : refusals(endpoint)) {
            var response = responses.putObject(String.valueOf(status));
            response.put("description", "Refused");
            response.putObject("content")
                    .putObject("application/problem+json")
                    .set("schema", schemaOf(Problem.Document.class));
        }
        return operation;
    }

    private static List<Integer> refusals(Endpoint<?> endpoint) {
        var all = new java.util.TreeSet<>(ALWAYS);
        all.addAll(endpoint.errors());
        if (!endpoint.isOpen()) {
            all.addAll(List.of(401, 403));
        }
        if (endpoint.body() != null) {
            all.addAll(List.of(413, 415, 422));
        }
        if (endpoint.path().contains("{")) {
            all.add(404);
        }
        return List.copyOf(all);
    }

    private void parameters(Endpoint<?> endpoint, ArrayNode parameters) {
        Pattern.compile("\\{([a-z]+)}")
                .matcher(endpoint.path())
                .results()
                .forEach(found -> {
                    var parameter = parameters.addObject();
                    parameter.put("name", found.group(1)).put("in", "path").put("required", true);
                    parameter.putObject("schema").put("type", "string");
                });
        for (var query : endpoint.query()) {
            var parameter = parameters.addObject();
            parameter
                    .put("name", query.name())
                    .put("in", "query")
                    .put("required", false)
                    .put("description", query.meaning());
            parameter.set("schema", schemaOf(query.type()));
        }
    }

    private static String mediaType(Type type) {
        if (type == byte[].class) {
            return "application/octet-stream";
        }
        if (type == Events.class) {
            return "text/event-stream";
        }
        return type == String.class ? "text/plain" : "application/json";
    }

    /// Stands for a stream of server-sent events.
    public static final class Events {
        private Events() {}
    }

    private ObjectNode schemaOf(Type type) {
        var schema = Json.MAPPER.createObjectNode();
        if (type instanceof ParameterizedType generic) {
            var raw = (Class<?>) generic.getRawType();
            if (raw == List.class) {
                schema.put("type", "array")
                        .set("items", schemaOf(generic.getActualTypeArguments()[0]));
                return schema;
            }
            if (raw == Map.class) {
                schema.put("type", "object")
                        .set("additionalProperties", schemaOf(generic.getActualTypeArguments()[1]));
                return schema;
            }
        }
        if (!(type instanceof Class<?> plain)) {
            throw new IllegalArgumentException("no schema for " + type);
        }
        if (plain == String.class || plain == Events.class || plain == char.class) {
            schema.put("type", "string");
        } else if (plain == int.class || plain == Integer.class) {
            schema.put("type", "integer").put("format", "int32");
        } else if (plain == long.class || plain == Long.class) {
            schema.put("type", "integer").put("format", "int64");
        } else if (plain == double.class || plain == Double.class) {
            schema.put("type", "number");
        } else if (plain == boolean.class || plain == Boolean.class) {
            schema.put("type", "boolean");
        } else if (plain == Instant.class) {
            schema.put("type", "string").put("format", "date-time");
        } else if (plain == LocalDate.class) {
            schema.put("type", "string").put("format", "date");
        } else if (plain == UUID.class) {
            schema.put("type", "string").put("format", "uuid");
        } else if (plain == BigDecimal.class) {
            schema.put("type", "string").put("format", "decimal");
        } else if (plain == byte[].class) {
            schema.put("type", "string").put("format", "binary");
        } else if (plain == Object.class
                || tools.jackson.databind.JsonNode.class.isAssignableFrom(plain)) {
            schema.put("type", "object");
        } else if (plain.isEnum()) {
            var words = schema.put("type", "string").putArray("enum");
            Arrays.stream(plain.getEnumConstants())
                    .forEach(word -> words.add(word.toString().toLowerCase(Locale.ROOT)));
        } else if (plain.isRecord()) {
            schema.put("$ref", "#/components/schemas/" + named(plain));
        } else {
            throw new IllegalArgumentException("no schema for " + type);
        }
        return schema;
    }

    private String named(Class<?> type) {
        var name = type == Problem.Document.class ? "Problem" : type.getSimpleName();
        var other = named.putIfAbsent(name, type);
        if (other == null) {
            schemas.put(name, object(type));
        } else if (other != type) {
            throw new IllegalArgumentException(
                    "%s and %s would have the same name in the document".formatted(other, type));
        }
        return name;
    }

    private ObjectNode object(Class<?> type) {
        var schema = Json.MAPPER.createObjectNode();
        schema.put("type", "object");
        var properties = schema.putObject("properties");
        var required = schema.putArray("required");
        for (var component : type.getRecordComponents()) {
            var name = snakeCase(component.getName());
            var isNullable = isNullable(component.getAnnotatedType());
            var property = property(component);
            properties.set(name, isNullable ? orNull(property) : property);
            if (!isNullable) {
                required.add(name);
            }
        }
        return schema;
    }

    private ObjectNode property(RecordComponent component) {
        return component.getAnnotatedType() instanceof AnnotatedParameterizedType
                ? schemaOf(component.getGenericType())
                : schemaOf(component.getType());
    }

    private static ObjectNode orNull(ObjectNode schema) {
        if (schema.has("type") && !schema.has("enum")) {
            var type = schema.get("type").stringValue();
            schema.putArray("type").add(type).add("null");
            return schema;
        }
        var either = Json.MAPPER.createObjectNode();
        either.putArray("anyOf").add(schema).addObject().put("type", "null");
        return either;
    }

    private static boolean isNullable(AnnotatedType type) {
        return type.isAnnotationPresent(Nullable.class);
    }

    private static String snakeCase(String name) {
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }
}
