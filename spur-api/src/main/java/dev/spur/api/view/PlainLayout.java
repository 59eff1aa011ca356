package dev.spur.api.view;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// Writes an entity as `/api/v1` has it: the fields that were chosen, names as in the table,
/// instants as texts, `null` for what there is none of.
public final class PlainLayout<M> {
    private static final ConcurrentMap<EntityTable<?>, PlainLayout<?>> WHOLE =
            new ConcurrentHashMap<>();

    private record Place<M>(byte[] name, Field.Getter<M> getter) {}

    private final List<Place<M>> places = new ArrayList<>();

    private PlainLayout(List<Field<M>> fields) {
        var next = '{';
        for (var field : fields) {
            places.add(
                    new Place<>(
                            (next + "\"" + field.name() + "\":").getBytes(StandardCharsets.UTF_8),
                            field.getter()));
            next = ',';
        }
    }

    @SuppressWarnings("unchecked")
    public static <M> PlainLayout<M> of(EntityTable<M> table) {
        // Of the table it was made of, hence of its messages.
        var known = WHOLE.get(table);
        if (known == null) {
            known = new PlainLayout<>(table.plain());
            WHOLE.putIfAbsent(table, known);
        }
        return (PlainLayout<M>) known;
    }

    /// Some fields of a table, in the order in which they were asked for; at least one.
    public static <M> PlainLayout<M> of(List<Field<M>> fields) {
        return new PlainLayout<>(fields);
    }

    public void write(M message, JsonText json, Surroundings surroundings) {
        var sink = new Sink(json, surroundings);
        for (var place : places) {
            json.raw(place.name());
            place.getter().get(message, sink);
        }
        json.raw('}');
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

    private record Sink(JsonText json, Surroundings surroundings) implements Values {
        @Override
        public void text(String text) {
            json.text(text);
        }

        @Override
        public void number(long number) {
            json.number(number);
        }

        @Override
        public void decimal(double number) {
            json.decimal(number);
        }

        @Override
        public void flag(boolean isSet) {
            json.flag(isSet);
        }

        @Override
        public void instant(long micros) {
            if (micros == 0) {
                none();
            } else {
                json.text(
                        Instant.ofEpochSecond(
                                        Math.floorDiv(micros, 1_000_000),
                                        Math.floorMod(micros, 1_000_000) * 1_000L)
                                .toString());
            }
        }

        @Override
        public void words(Collection<String> words) {
            json.raw('[');
            for (var word : words) {
                json.text(word).raw(',');
            }
            json.withoutLastComma().raw(']');
        }

        @Override
        public void exit(int code, int signal) {
            json.raw("{\"code\":").number(code).raw(",\"signal\":").number(signal).raw('}');
        }

        @Override
        public void tres(String amounts) {
            amounts(TresAmounts.parse(amounts));
        }

        @Override
        public void amounts(Map<String, Long> byName) {
            json.raw('{');
            byName.forEach((name, amount) -> json.text(name).raw(':').number(amount).raw(','));
            json.withoutLastComma().raw('}');
        }

        @Override
        public String tresName(int id) {
            return surroundings.tresName(id);
        }

        @Override
        public void none() {
            json.raw("null");
        }

        @Override
        public void unlimited() {
            none();
        }

        @Override
        public <C> void children(EntityTable<C> table, List<C> children) {
            PlainLayout.of(table).writeAll(children, json, surroundings);
        }

        @Override
        public String cluster() {
            return surroundings.cluster();
        }

        @Override
        public long now() {
            return surroundings.nowMicros();
        }
    }
}
