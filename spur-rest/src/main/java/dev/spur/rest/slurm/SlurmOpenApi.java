package dev.spur.rest.slurm;

import dev.spur.api.view.DataVersion;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.SlurmSchema;
import dev.spur.api.view.SlurmSchema.Decimal;
import dev.spur.api.view.SlurmSchema.Flag;
import dev.spur.api.view.SlurmSchema.ListOf;
import dev.spur.api.view.SlurmSchema.Named;
import dev.spur.api.view.SlurmSchema.Operation;
import dev.spur.api.view.SlurmSchema.OptionalNumber;
import dev.spur.api.view.SlurmSchema.Structure;
import dev.spur.api.view.SlurmSchema.Text;
import dev.spur.api.view.SlurmSchema.Type;
import dev.spur.api.view.SlurmSchema.Whole;
import dev.spur.api.view.SlurmSchema.Words;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeMap;

/// The OpenAPI document of all versions, made of the schema.
final class SlurmOpenApi {
    static final byte[] DOCUMENT = new SlurmOpenApi().document();

    private final SlurmSchema schema = SlurmSchema.current();
    private final JsonText json = new JsonText();

    private SlurmOpenApi() {}

    private byte[] document() {
        json.raw("{\"openapi\":\"3.0.3\",\"info\":{\"title\":\"Slurm REST API\",");
        json.raw("\"description\":\"As served by Spur\",\"version\":");
        json.text(SlurmSchema.VERSION).raw("},\"servers\":[{\"url\":\"/\"}],\"security\":[");
        json.raw("{\"user\":[],\"token\":[]},{\"token\":[]},{\"bearerAuth\":[]},{}],\"paths\":{");
        for (var version : DataVersion.ALL) {
            var byPath = new LinkedHashMap<String, List<Operation>>();
            schema.operations()
                    .forEach(
                            each -> byPath.merge(each.path(), List.of(each), SlurmOpenApi::joined));
            byPath.forEach((path, operations) -> path(version, path, operations));
        }
        json.withoutLastComma().raw("},\"components\":{\"schemas\":{");
        new TreeMap<>(schema.structures())
                .forEach((name, type) -> {
                    json.text(component(name)).raw(':');
                    type(type);
                    json.raw(',');
                });
        json.withoutLastComma().raw("},\"securitySchemes\":{");
        header("user", "X-SLURM-USER-NAME");
        header("token", "X-SLURM-USER-TOKEN");
        json.raw("\"bearerAuth\":{\"type\":\"http\",\"scheme\":\"bearer\"");
        json.raw(",\"bearerFormat\":\"JWT\"}}}}");
        return json.toBytes();
    }

    private static <T> List<T> joined(List<T> one, List<T> other) {
        return java.util.stream.Stream.concat(one.stream(), other.stream()).toList();
    }

    private void header(String name, String header) {
        json.text(name).raw(":{\"type\":\"apiKey\",\"in\":\"header\",\"name\":");
        json.text(header).raw("},");
    }

    private void path(DataVersion version, String path, List<Operation> operations) {
        json.text(version.path(path)).raw(":{");
        for (var operation : operations) {
            json.text(operation.method().toLowerCase(java.util.Locale.ROOT)).raw(":{");
            json.raw("\"tags\":[").text(operation.id().split("_", 2)[0]).raw(']');
            json.raw(",\"operationId\":").text(id(operation.id(), version));
            json.raw(",\"parameters\":[");
            operation.parameters().forEach(this::parameter);
            json.withoutLastComma().raw(']');
            if (operation.body() != null) {
                json.raw(",\"requestBody\":{\"content\":");
                content(operation.body());
                json.raw('}');
            }
            json.raw(",\"responses\":{\"200\":{\"description\":\"done\",\"content\":");
            content(operation.answer());
            json.raw("},\"default\":{\"description\":\"not done\",\"content\":");
            content("openapi_resp");
            json.raw("}}},");
        }
        json.withoutLastComma().raw("},");
    }

    /// `slurm_get_jobs` is `slurm_v0042_get_jobs`.
    private static String id(String id, DataVersion version) {
        return id.replaceFirst("_", "_" + version.word().replace(".", "") + "_");
    }

    private void parameter(SlurmSchema.Parameter parameter) {
        json.raw("{\"name\":").text(parameter.name()).raw(",\"in\":");
        json.text(parameter.isInPath() ? "path" : "query");
        json.raw(",\"required\":").flag(parameter.isRequired() || parameter.isInPath());
        json.raw(",\"schema\":");
        type(parameter.type());
        json.raw("},");
    }

    private void content(String structure) {
        json.raw("{\"application/json\":{\"schema\":");
        type(new Named(structure));
        json.raw("}}");
    }

    private static String component(String name) {
        return SlurmSchema.VERSION + "_" + name;
    }

    private void type(Type type) {
        switch (type) {
            case Text _ -> json.raw("{\"type\":\"string\"}");
            case Whole(var isLong) ->
                    json.raw("{\"type\":\"integer\",\"format\":")
                            .text(isLong ? "int64" : "int32")
                            .raw('}');
            case Decimal _ -> json.raw("{\"type\":\"number\",\"format\":\"double\"}");
            case Flag _ -> json.raw("{\"type\":\"boolean\"}");
            case Words(var words) -> {
                json.raw("{\"type\":\"string\",\"enum\":[");
                words.forEach(word -> json.text(word).raw(','));
                json.withoutLastComma().raw("]}");
            }
            case ListOf(var items) -> {
                json.raw("{\"type\":\"array\",\"items\":");
                type(items);
                json.raw('}');
            }
            case Structure(var members) -> structure(members);
            case OptionalNumber(var isDecimal) -> {
                json.raw("{\"type\":\"object\",\"properties\":{\"set\":{\"type\":\"boolean\"}");
                json.raw(",\"infinite\":{\"type\":\"boolean\"},\"number\":");
                type(isDecimal ? new Decimal() : new Whole(true));
                json.raw("}}");
            }
            case Named(var name) ->
                    json.raw("{\"$ref\":").text("#/components/schemas/" + component(name)).raw('}');
        }
    }

    private void structure(List<SlurmSchema.Member> members) {
        json.raw("{\"type\":\"object\"");
        if (members.stream().anyMatch(SlurmSchema.Member::isRequired)) {
            json.raw(",\"required\":[");
            members.stream()
                    .filter(SlurmSchema.Member::isRequired)
                    .forEach(member -> json.text(member.name()).raw(','));
            json.withoutLastComma().raw(']');
        }
        json.raw(",\"properties\":{");
        for (var member : members) {
            json.text(member.name()).raw(':');
            type(member.type());
            json.raw(',');
        }
        json.withoutLastComma().raw("}}");
    }
}
