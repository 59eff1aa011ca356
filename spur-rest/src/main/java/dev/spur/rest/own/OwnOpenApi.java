package dev.spur.rest.own;

import dev.spur.api.view.EntityTable;
import dev.spur.api.view.Field;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.SlurmSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The OpenAPI 3.1 document of `/api/v1`, made of its routes and the field tables.
final class OwnOpenApi {
    private static final Pattern PLACE = Pattern.compile("\\{([a-z]+)}");

    /// What requests carry, beside the description of a job.
    private static final Map<String, String> BODIES =
            Map.of(
                    "ReservationDescription",
                    """
                    {"type":"object","additionalProperties":false,"properties":{"name":{"type":"string"},"starts_at":{"type":"string","format":"date-time"},\
                    "ends_at":{"type":"string","format":"date-time"},"duration":{"type":"integer","description":"minutes"},\
                    "nodes":{"type":"string"},"node_count":{"type":"integer"},"core_count":{"type":"integer"},"features":{"type":"string"},\
                    "partition":{"type":"string"},"users":{"type":"array","items":{"type":"string"}},\
                    "accounts":{"type":"array","items":{"type":"string"}},"groups":{"type":"array","items":{"type":"string"}},\
                    "flags":{"type":"array","items":{"type":"string"}}}}\
                    """,
                    "NodeChange",
                    """
                    {"type":"object","additionalProperties":false,"properties":{"state":{"type":"string"},"reason":{"type":"string"},\
                    "comment":{"type":"string"},"features":{"type":"array","items":{"type":"string"}},\
                    "active_features":{"type":"array","items":{"type":"string"}},"weight":{"type":"integer","minimum":0}}}\
                    """,
                    "Reason",
                    """
                    {"type":"object","required":["reason"],"properties":{"reason":{"type":"string"}}}\
                    """,
                    "Signal",
                    """
                    {"type":"object","required":["signal"],"properties":{"signal":{"type":"string","description":"name or number"},\
                    "full":{"type":"boolean","description":"also to the script"}}}\
                    """,
                    "JobSubmission",
                    """
                    {"type":"object","properties":{"script":{"type":"string"},"job":{"$ref":"#/components/schemas/JobDescription"},\
                    "jobs":{"type":"array","description":"parts of a heterogeneous job","items":{"$ref":"#/components/schemas/JobDescription"}}}}\
                    """,
                    "Submitted",
                    """
                    {"type":"object","required":["job_id","warnings"],"properties":{"job_id":{"type":"integer"},\
                    "warnings":{"type":"array","items":{"type":"string"}}}}\
                    """,
                    "Problem",
                    """
                    {"type":"object","required":["type","title","status","code","errno","because","remedy"],"properties":{\
                    "type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},\
                    "code":{"type":"string","description":"does not change"},"errno":{"type":"integer","description":"Slurm's number"},\
                    "because":{"type":"string"},"remedy":{"type":"string"}}}\
                    """);

    private static final Set<String> TEXTS =
            Set.of("getScript", "getOutput", "watch", "watchJob", "getDocs");

    private final List<OwnRoute> routes;
    private final Map<String, EntityTable<?>> tables = new TreeMap<>();
    private final JsonText json = new JsonText();

    OwnOpenApi(List<OwnRoute> routes) {
        this.routes = List.copyOf(routes);
    }

    byte[] document() {
        json.raw("{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"Spur\",\"version\":\"1\",");
        json.raw("\"description\":\"A cluster, its jobs and who may use how much of it.\"},");
        json.raw("\"security\":[{\"bearer\":[]},{\"token\":[]},{}],\"paths\":{");
        var byPath = new LinkedHashMap<String, List<OwnRoute>>();
        routes.forEach(route ->
                byPath.merge(
                        route.path(),
                        List.of(route),
                        (one, other) ->
                                java.util.stream.Stream.concat(one.stream(), other.stream())
                                        .toList()));
        byPath.forEach((path, each) -> {
            json.text(path).raw(":{");
            each.forEach(this::operation);
            json.withoutLastComma().raw("},");
        });
        json.withoutLastComma().raw("},\"components\":{\"schemas\":{");
        new TreeMap<>(BODIES)
                .forEach((name, schema) -> json.text(name).raw(':').raw(schema).raw(','));
        description();
        tables.forEach(this::table);
        json.withoutLastComma().raw("},\"securitySchemes\":{");
        json.raw("\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\",\"bearerFormat\":\"JWT\"},");
        json.raw(
                "\"token\":{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"X-SLURM-USER-TOKEN\"}");
        json.raw("}}}");
        return json.toBytes();
    }

    private void operation(OwnRoute route) {
        json.text(route.method().toLowerCase(Locale.ROOT)).raw(":{\"operationId\":");
        json.text(route.name()).raw(",\"tags\":[").text(route.tag()).raw("],\"summary\":");
        json.text(route.summary()).raw(",\"parameters\":[");
        PLACE.matcher(route.path())
                .results()
                .forEach(place -> parameter(place.group(1), "path", false, ""));
        route.parameters()
                .forEach(each -> parameter(each.name(), "query", each.isNumber(), each.about()));
        if (!route.method().equals("GET")) {
            parameter(
                    "Idempotency-Key",
                    "header",
                    false,
                    "a request that is repeated with the same key is done once");
        }
        json.withoutLastComma().raw(']');
        if (route.body() != null) {
            json.raw(",\"requestBody\":{\"required\":true,\"content\":{\"application/json\":");
            json.raw("{\"schema\":");
            reference(route.body());
            json.raw("}}}");
        }
        json.raw(",\"responses\":{");
        answer(route);
        json.raw(",\"default\":{\"description\":\"not done\",\"content\":");
        json.raw("{\"application/problem+json\":{\"schema\":");
        reference("Problem");
        json.raw("}}}}},");
    }

    private void parameter(String name, String in, boolean isNumber, String about) {
        json.raw("{\"name\":").text(name).raw(",\"in\":").text(in);
        json.raw(",\"required\":").flag(in.equals("path"));
        if (!about.isEmpty()) {
            json.raw(",\"description\":").text(about);
        }
        json.raw(",\"schema\":{\"type\":").text(isNumber ? "integer" : "string").raw("}},");
    }

    private void answer(OwnRoute route) {
        var table = route.table();
        var isSubmission = "JobSubmission".equals(route.body());
        json.text(isSubmission ? "201" : "200").raw(":{\"description\":\"done\"");
        if (TEXTS.contains(route.name())) {
            json.raw(",\"content\":{\"text/*\":{\"schema\":{\"type\":\"string\"}}}}");
            return;
        }
        json.raw(",\"content\":{\"application/json\":{\"schema\":");
        if (isSubmission) {
            reference("Submitted");
        } else if (table == null) {
            var isJob = route.path().startsWith("/api/v1/jobs/{id}");
            var isNode = route.path().startsWith("/api/v1/nodes/{name}");
            if (isJob) {
                reference("Job");
            } else if (isNode) {
                reference("Node");
            } else {
                json.raw("{\"type\":\"object\"}");
            }
        } else if (route.key().isEmpty()) {
            reference(named(table));
        } else {
            json.raw("{\"type\":\"object\",\"required\":[").text(route.key());
            json.raw(",\"next\",\"total\"],\"properties\":{").text(route.key());
            // With `fields` there are fewer of them.
            json.raw(":{\"type\":\"array\",\"items\":");
            reference(named(table));
            json.raw("},\"next\":{\"type\":[\"string\",\"null\"]},\"total\":");
            json.raw("{\"type\":[\"integer\",\"null\"]}}}");
        }
        json.raw("}}}");
    }

    private void reference(String name) {
        json.raw("{\"$ref\":").text("#/components/schemas/" + name).raw('}');
    }

    /// `planned job` is `PlannedJob`.
    private String named(EntityTable<?> table) {
        var name = new StringBuilder();
        for (var word : table.noun().split(" ", -1)) {
            name.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
        }
        var isNew = tables.put(name.toString(), table) == null;
        if (isNew) {
            table.plain().stream()
                    .map(Field::children)
                    .filter(java.util.Objects::nonNull)
                    .forEach(this::named);
        }
        return name.toString();
    }

    private void table(String name, EntityTable<?> table) {
        json.text(name).raw(":{\"type\":\"object\",\"properties\":{");
        for (var field : table.plain()) {
            json.text(field.name()).raw(":{");
            kind(field);
            json.raw(",\"description\":").text(field.about()).raw("},");
        }
        json.withoutLastComma().raw("}},");
    }

    private void kind(Field<?> field) {
        switch (field.kind()) {
            case TEXT -> json.raw("\"type\":\"string\"");
            case NUMBER -> json.raw("\"type\":[\"integer\",\"null\"]");
            case DECIMAL -> json.raw("\"type\":\"number\"");
            case FLAG -> json.raw("\"type\":\"boolean\"");
            case INSTANT -> json.raw("\"type\":[\"string\",\"null\"],\"format\":\"date-time\"");
            case WORDS -> json.raw("\"type\":\"array\",\"items\":{\"type\":\"string\"}");
            case EXIT ->
                    json.raw("\"type\":\"object\",\"required\":[\"code\",\"signal\"],")
                            .raw("\"properties\":{\"code\":{\"type\":\"integer\"},")
                            .raw("\"signal\":{\"type\":\"integer\"}}");
            case TRES ->
                    json.raw("\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}");
            case LIST -> {
                json.raw("\"type\":\"array\",\"items\":");
                reference(named(java.util.Objects.requireNonNull(field.children())));
            }
        }
    }

    /// The members of Slurm's description of a job, in the forms that are taken.
    private void description() {
        var structure = (SlurmSchema.Structure) SlurmSchema.current().structure("job_desc_msg");
        json.raw("\"JobDescription\":{\"type\":\"object\",\"properties\":{\"script\":");
        json.raw(
                "{\"type\":\"string\"},\"update\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},");
        json.raw("\"description\":\"of a change: Key=Value, as explanations suggest\"},");
        for (var member : structure.members()) {
            if (member.name().equals("script")) {
                continue;
            }
            json.text(member.name()).raw(':');
            switch (SlurmSchema.current().resolve(member.type())) {
                case SlurmSchema.Whole _, SlurmSchema.OptionalNumber _, SlurmSchema.Decimal _ ->
                        json.raw("{\"type\":\"integer\"}");
                case SlurmSchema.Flag _ -> json.raw("{\"type\":\"boolean\"}");
                case SlurmSchema.ListOf _ ->
                        json.raw("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}");
                case SlurmSchema.Structure _ -> json.raw("{\"type\":\"object\"}");
                case SlurmSchema.Text _, SlurmSchema.Words _, SlurmSchema.Named _ ->
                        json.raw("{\"type\":\"string\"}");
            }
            json.raw(',');
        }
        json.withoutLastComma().raw("}},");
    }
}
