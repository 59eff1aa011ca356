package dev.spur.api.view;

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
import dev.spur.model.notation.Signal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// Writes an entity as one of Slurm's structures: every member in its order, with the value that a
/// table has for that place, else with what stands there for nothing.
///
/// Compiled once into pieces: what is the same for all entities is bytes, between them are getters.
public final class SlurmLayout<M> {
    private static final ConcurrentMap<EntityTable<?>, SlurmLayout<?>> COMPILED =
            new ConcurrentHashMap<>();

    private record Place<M>(byte[] before, Type type, Field.Getter<M> getter) {}

    private final SlurmSchema schema = SlurmSchema.current();
    private final Map<String, Field<M>> fields = new HashMap<>();
    private final List<Place<M>> places = new ArrayList<>();
    private final byte[] after;
    private StringBuilder constant = new StringBuilder();

    private SlurmLayout(EntityTable<M> table) {
        table.fields().forEach(field -> field.slurm().forEach(place -> fields.put(place, field)));
        compile("", schema.structure(table.structure()));
        this.after = takeConstant();
        if (!fields.isEmpty()) {
            throw new IllegalArgumentException(
                    "Slurm's %s has no %s".formatted(table.structure(), fields.keySet()));
        }
    }

    @SuppressWarnings("unchecked")
    public static <M> SlurmLayout<M> of(EntityTable<M> table) {
        // Of the table it was made of, hence of its messages. Children are compiled on the way.
        var known = COMPILED.get(table);
        if (known == null) {
            known = new SlurmLayout<>(table);
            COMPILED.putIfAbsent(table, known);
        }
        return (SlurmLayout<M>) known;
    }

    /// @param surroundings of the answer that the entity is part of
    public void write(M message, JsonText json, Surroundings surroundings) {
        var sink = new Sink(json, surroundings);
        for (var place : places) {
            json.raw(place.before());
            sink.type = place.type();
            place.getter().get(message, sink);
        }
        json.raw(after);
    }

    /// `[…]`
    public void writeAll(List<M> messages, JsonText json, Surroundings surroundings) {
        json.raw('[');
        for (var message : messages) {
            write(message, json, surroundings);
            json.raw(',');
        }
        json.withoutLastComma().raw(']');
    }

    private void compile(String path, Type type) {
        var field = fields.remove(path);
        var known = schema.resolve(type);
        if (field != null) {
            places.add(new Place<>(takeConstant(), isExit(type) ? type : known, field.getter()));
        } else if (known instanceof Structure(var members)) {
            var prefix = path.isEmpty() ? "" : path + ".";
            var next = '{';
            for (var member : members) {
                constant.append(next).append('"').append(member.name()).append("\":");
                compile(prefix + member.name(), member.type());
                next = ',';
            }
            constant.append(members.isEmpty() ? "{}" : "}");
        } else {
            constant.append(nothing(known));
        }
    }

    private byte[] takeConstant() {
        var bytes = constant.toString().getBytes(StandardCharsets.UTF_8);
        constant = new StringBuilder();
        return bytes;
    }

    private static boolean isExit(Type type) {
        return type instanceof Named(var name) && name.equals("process_exit_code_verbose");
    }

    /// What stands where a value is missing.
    private static String nothing(Type type) {
        return switch (type) {
            case Text _, Words _ -> "\"\"";
            case Whole _ -> "0";
            case Decimal _ -> "0.0";
            case Flag _ -> "false";
            case ListOf _ -> "[]";
            case OptionalNumber(var isDecimal) -> optional(false, false, isDecimal ? "0.0" : "0");
            case Structure _ -> "{}";
            case Named(var name) -> throw new IllegalStateException(name + " is not resolved");
        };
    }

    private static String optional(boolean isSet, boolean isInfinite, String number) {
        return "{\"set\":%b,\"infinite\":%b,\"number\":%s}".formatted(isSet, isInfinite, number);
    }

    private static final byte[] SET = utf8("{\"set\":true,\"infinite\":false,\"number\":");
    private static final byte[] UNSET = utf8(optional(false, false, "0"));
    private static final byte[] INFINITE = utf8(optional(false, true, "0"));

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static final class Sink implements Values {
        private final JsonText json;
        private final Surroundings surroundings;
        private Type type = new Text();

        Sink(JsonText json, Surroundings surroundings) {
            this.json = json;
            this.surroundings = surroundings;
        }

        @Override
        public void text(String text) {
            switch (type) {
                case Text _, Words _ -> json.text(text);
                case ListOf _ -> words(text.isEmpty() ? List.of() : List.of(text.split(",", -1)));
                default -> throw mismatch("a text");
            }
        }

        @Override
        public void number(long number) {
            switch (type) {
                case Whole(var isLong) -> json.number(isLong ? number : (int) number);
                case OptionalNumber _ -> json.raw(SET).number(number).raw('}');
                case Decimal _ -> json.decimal(number);
                case Text _ -> json.text(Long.toString(number));
                default -> throw mismatch("a number");
            }
        }

        @Override
        public void decimal(double number) {
            switch (type) {
                case OptionalNumber(var isDecimal) when isDecimal ->
                        json.raw(SET).decimal(number).raw('}');
                case Decimal _ -> json.decimal(number);
                default -> number(Math.round(number));
            }
        }

        @Override
        public void flag(boolean isSet) {
            json.flag(isSet);
        }

        @Override
        public void instant(long micros) {
            number(Math.floorDiv(micros, 1_000_000));
        }

        @Override
        public void words(java.util.Collection<String> words) {
            if (type instanceof Text) {
                json.text(String.join(",", words));
                return;
            }
            if (!(type instanceof ListOf(var items))) {
                throw mismatch("a list");
            }
            json.raw('[');
            for (var word : words) {
                // A word that Slurm's clients do not know would break the strict ones.
                if (!(items instanceof Words(var known)) || known.contains(word)) {
                    json.text(word).raw(',');
                }
            }
            json.withoutLastComma().raw(']');
        }

        @Override
        public void exit(int code, int signal) {
            var status = signal != 0 ? "SIGNALED" : code != 0 ? "ERROR" : "SUCCESS";
            json.raw("{\"status\":[\"").raw(status).raw("\"],\"return_code\":").raw(SET);
            json.number(signal == 0 ? code : 0).raw("},\"signal\":{\"id\":");
            if (signal == 0) {
                json.raw(UNSET);
            } else {
                json.raw(SET).number(signal).raw('}');
            }
            json.raw(",\"name\":").text(signal == 0 ? "" : signalName(signal)).raw("}}");
        }

        @Override
        public void tres(String amounts) {
            if (type instanceof Text) {
                json.text(amounts);
                return;
            }
            amounts(TresAmounts.parse(amounts));
        }

        @Override
        public void amounts(Map<String, Long> byName) {
            if (!(type instanceof ListOf)) {
                throw mismatch("amounts");
            }
            json.raw('[');
            byName.forEach((name, count) -> {
                var slash = name.indexOf('/');
                json.raw("{\"type\":").text(slash < 0 ? name : name.substring(0, slash));
                json.raw(",\"name\":").text(slash < 0 ? "" : name.substring(slash + 1));
                json.raw(",\"id\":").number(surroundings.tresId(name));
                json.raw(",\"count\":").number(count).raw("},");
            });
            json.withoutLastComma().raw(']');
        }

        @Override
        public String tresName(int id) {
            return surroundings.tresName(id);
        }

        @Override
        public void none() {
            json.raw(nothing(type));
        }

        @Override
        public void unlimited() {
            if (type instanceof OptionalNumber) {
                json.raw(INFINITE);
            } else {
                none();
            }
        }

        @Override
        public <C> void children(EntityTable<C> table, List<C> children) {
            if (!(type instanceof ListOf)) {
                throw mismatch("children");
            }
            SlurmLayout.of(table).writeAll(children, json, surroundings);
        }

        @Override
        public String cluster() {
            return surroundings.cluster();
        }

        @Override
        public long now() {
            return surroundings.nowMicros();
        }

        private static String signalName(int signal) {
            try {
                return new Signal(signal).name();
            } catch (IllegalArgumentException _) {
                return Integer.toString(signal);
            }
        }

        private IllegalStateException mismatch(String value) {
            return new IllegalStateException(value + " where Slurm has " + type);
        }
    }
}
