package dev.spur.runtime.http;

import java.math.BigDecimal;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializer;

/// JSON of our APIs: records with keys in snake_case, instants as RFC 3339 in UTC, words of enums
/// in lower case, exact decimals as texts, what is missing as null.
public final class Json {
    private static final int DEEPEST = 50;
    private static final int LONGEST_TEXT = 1 << 20;

    public static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(DEEPEST)
                                                    .maxStringLength(LONGEST_TEXT)
                                                    .build())
                                    .build())
                    .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                    .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
                    .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
                    .addModule(
                            new SimpleModule()
                                    .addSerializer(
                                            BigDecimal.class,
                                            new ToStringSerializer(BigDecimal.class)))
                    .build();

    private Json() {}

    public static byte[] bytes(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    /// A request's body as what the endpoint wants; what does not fit is a {@link Problem} that
    /// names the field.
    static Object read(byte[] body, JavaType type) {
        try {
            var value = MAPPER.readValue(body, type);
            if (value == null) {
                throw Problem.of(400, "invalid-json", "The body is null.", "Send a JSON object.");
            }
            return value;
        } catch (UnrecognizedPropertyException e) {
            throw invalid(e.getPropertyName(), "is not known here");
        } catch (MismatchedInputException e) {
            throw invalid(path(e), "does not have the right type");
        } catch (JacksonException e) {
            if (e.getCause() instanceof Problem problem) {
                throw problem;
            }
            throw Problem.of(
                    400,
                    "invalid-json",
                    "The body is not the JSON that is expected here: %s."
                            .formatted(e.getOriginalMessage()),
                    "See the schema in /api/openapi.json.");
        }
    }

    private static Problem invalid(String field, String why) {
        return Problem.field(field.isEmpty() ? "body" : field, why);
    }

    private static String path(JacksonException e) {
        var text = new StringBuilder();
        for (var step : e.getPath()) {
            if (step.getPropertyName() != null) {
                text.append(text.isEmpty() ? "" : ".").append(step.getPropertyName());
            } else {
                text.append('[').append(step.getIndex()).append(']');
            }
        }
        return text.toString();
    }
}
