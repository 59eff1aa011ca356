package dev.spur.rest;

import dev.spur.api.view.SlurmSchema;
import dev.spur.api.view.SlurmSchema.Decimal;
import dev.spur.api.view.SlurmSchema.Flag;
import dev.spur.api.view.SlurmSchema.ListOf;
import dev.spur.api.view.SlurmSchema.Named;
import dev.spur.api.view.SlurmSchema.OptionalNumber;
import dev.spur.api.view.SlurmSchema.Structure;
import dev.spur.api.view.SlurmSchema.Text;
import dev.spur.api.view.SlurmSchema.Type;
import dev.spur.api.view.SlurmSchema.Whole;
import dev.spur.api.view.SlurmSchema.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/// What about an answer a strict client of Slurm's REST API would choke on.
final class Conformance {
    private final List<String> complaints = new ArrayList<>();

    private Conformance() {}

    static List<String> complaints(JsonNode answer, String structure) {
        var check = new Conformance();
        check.check(answer, new Named(structure), "");
        return check.complaints;
    }

    private void check(JsonNode node, Type type, String path) {
        switch (SlurmSchema.current().resolve(type)) {
            case Text _ -> require(node.isString(), path, "a text", node);
            case Words(var words) ->
                    require(
                            node.isString() && words.contains(node.asString()),
                            path,
                            "one of " + words,
                            node);
            case Whole(var isLong) ->
                    require(
                            isLong
                                    ? node.isIntegralNumber()
                                    : node.isIntegralNumber() && node.canConvertToInt(),
                            path,
                            isLong ? "a whole number" : "a whole number of 32 bits",
                            node);
            case Decimal _ -> require(node.isNumber(), path, "a number", node);
            case Flag _ -> require(node.isBoolean(), path, "true or false", node);
            case ListOf(var items) -> {
                require(node.isArray(), path, "a list", node);
                var at = 0;
                for (var item : node.values()) {
                    check(item, items, path + "[" + at++ + "]");
                }
            }
            case OptionalNumber(var isDecimal) -> {
                require(
                        Set.copyOf(node.propertyNames())
                                .equals(Set.of("set", "infinite", "number")),
                        path,
                        "a number that may be missing",
                        node);
                check(
                        node.path("number"),
                        isDecimal ? new Decimal() : new Whole(true),
                        path + ".number");
            }
            case Structure structure -> structure(node, structure, path);
            case Named _ -> throw new IllegalStateException();
        }
    }

    private void structure(JsonNode node, Structure structure, String path) {
        require(node.isObject(), path, "an object", node);
        for (var member : structure.members()) {
            if (node.has(member.name())) {
                check(node.get(member.name()), member.type(), path + "." + member.name());
            } else {
                require(!member.isRequired(), path, "to have " + member.name(), node);
            }
        }
        if (structure.members().isEmpty()) {
            return;
        }
        for (var name : node.propertyNames()) {
            require(structure.member(name) != null, path + "." + name, "to be known", node);
        }
    }

    private void require(boolean isSo, String path, String what, JsonNode node) {
        if (!isSo) {
            var shown = node.toString();
            complaints.add(
                    "%s is not %s: %s"
                            .formatted(
                                    path, what, shown.substring(0, Math.min(80, shown.length()))));
        }
    }
}
