package dev.spur.api.view;

import dev.spur.api.v1.TimeLimit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/// All fields of one kind of entity. A new field of the cluster is one line here, and it is in
/// `--json`, in `/slurm/v0.0.42` and in `/api/v1`.
public final class EntityTable<M> {
    private final String noun;
    private final String structure;
    private final List<Field<M>> fields;

    private EntityTable(String noun, String structure, List<Field<M>> fields) {
        this.noun = noun;
        this.structure = structure;
        this.fields = List.copyOf(fields);
    }

    /// What the entity is called in `/api/v1`: `job`.
    public String noun() {
        return noun;
    }

    /// What the entity is called among Slurm's structures: `job_info`.
    public String structure() {
        return structure;
    }

    public List<Field<M>> fields() {
        return fields;
    }

    /// Those of `/api/v1`.
    public List<Field<M>> plain() {
        return fields.stream().filter(Field::isPlain).toList();
    }

    public Optional<Field<M>> byName(String name) {
        return plain().stream().filter(field -> field.name().equals(name)).findFirst();
    }

    static long unsigned(int number) {
        return Integer.toUnsignedLong(number);
    }

    static void limit(TimeLimit limit, Values out) {
        switch (limit.getLimitCase()) {
            case MINUTES -> out.number(unsigned(limit.getMinutes()));
            case UNLIMITED -> out.unlimited();
            case LIMIT_NOT_SET -> out.none();
        }
    }

    /// Lists the fields of a table. Each method takes our name (empty: none), Slurm's place or
    /// places by comma (empty: none) and how to read it.
    public static final class Builder<M> {
        private final String noun;
        private final String structure;
        private final List<Field<M>> fields = new ArrayList<>();

        Builder(String noun, String structure) {
            this.noun = noun;
            this.structure = structure;
        }

        Builder<M> field(
                String name, Field.Kind kind, String slurm, String about, Field.Getter<M> getter) {
            fields.add(new Field<>(name, kind, about, places(slurm), getter, null));
            return this;
        }

        private static List<String> places(String slurm) {
            return slurm.isEmpty() ? List.of() : List.of(slurm.split(","));
        }

        Builder<M> text(String name, String slurm, String about, Function<M, String> value) {
            return field(name, Field.Kind.TEXT, slurm, about, (m, out) -> out.text(value.apply(m)));
        }

        Builder<M> number(String name, String slurm, String about, ToLongFunction<M> value) {
            return field(
                    name,
                    Field.Kind.NUMBER,
                    slurm,
                    about,
                    (m, out) -> out.number(value.applyAsLong(m)));
        }

        /// A number of the wire without a sign.
        Builder<M> count(String name, String slurm, String about, ToIntFunction<M> value) {
            return number(name, slurm, about, m -> unsigned(value.applyAsInt(m)));
        }

        /// A number that is missing under a condition.
        Builder<M> numberIf(
                String name,
                String slurm,
                String about,
                Predicate<M> isThere,
                ToLongFunction<M> value) {
            return field(
                    name,
                    Field.Kind.NUMBER,
                    slurm,
                    about,
                    (m, out) -> {
                        if (isThere.test(m)) {
                            out.number(value.applyAsLong(m));
                        } else {
                            out.none();
                        }
                    });
        }

        /// A number of which 0 means that it is missing.
        Builder<M> positive(String name, String slurm, String about, ToLongFunction<M> value) {
            return numberIf(name, slurm, about, m -> value.applyAsLong(m) != 0, value);
        }

        Builder<M> decimal(String name, String slurm, String about, ToDoubleFunction<M> value) {
            return field(
                    name,
                    Field.Kind.DECIMAL,
                    slurm,
                    about,
                    (m, out) -> out.decimal(value.applyAsDouble(m)));
        }

        Builder<M> flag(String name, String slurm, String about, Predicate<M> value) {
            return field(name, Field.Kind.FLAG, slurm, about, (m, out) -> out.flag(value.test(m)));
        }

        Builder<M> instant(String name, String slurm, String about, ToLongFunction<M> micros) {
            return field(
                    name,
                    Field.Kind.INSTANT,
                    slurm,
                    about,
                    (m, out) -> out.instant(micros.applyAsLong(m)));
        }

        Builder<M> words(
                String name,
                String slurm,
                String about,
                Function<M, ? extends Collection<String>> value) {
            return field(
                    name, Field.Kind.WORDS, slurm, about, (m, out) -> out.words(value.apply(m)));
        }

        /// Minutes, or none.
        Builder<M> limit(String name, String slurm, String about, Function<M, TimeLimit> value) {
            return field(
                    name,
                    Field.Kind.NUMBER,
                    slurm,
                    about,
                    (m, out) -> EntityTable.limit(value.apply(m), out));
        }

        Builder<M> tres(String name, String slurm, String about, Function<M, String> value) {
            return field(name, Field.Kind.TRES, slurm, about, (m, out) -> out.tres(value.apply(m)));
        }

        Builder<M> amounts(
                String name, String slurm, String about, Function<M, Map<String, Long>> value) {
            return field(
                    name, Field.Kind.TRES, slurm, about, (m, out) -> out.amounts(value.apply(m)));
        }

        /// Amounts by number of the resource; those that nobody knows are left out.
        Builder<M> amountsById(
                String name, String slurm, String about, Function<M, Map<Integer, Long>> value) {
            return field(
                    name,
                    Field.Kind.TRES,
                    slurm,
                    about,
                    (m, out) -> {
                        var byName = new TreeMap<String, Long>();
                        value.apply(m)
                                .forEach((id, amount) -> byName.put(out.tresName(id), amount));
                        byName.remove("");
                        out.amounts(byName);
                    });
        }

        /// A limit that is none where it is not there.
        Builder<M> bound(
                String name,
                String slurm,
                String about,
                Predicate<M> isThere,
                ToIntFunction<M> value) {
            return field(
                    name,
                    Field.Kind.NUMBER,
                    slurm,
                    about,
                    (m, out) -> {
                        if (isThere.test(m)) {
                            out.number(unsigned(value.applyAsInt(m)));
                        } else {
                            out.unlimited();
                        }
                    });
        }

        <C> Builder<M> list(
                String name,
                String slurm,
                String about,
                EntityTable<C> table,
                Function<M, List<C>> value) {
            fields.add(
                    new Field<>(
                            name,
                            Field.Kind.LIST,
                            about,
                            places(slurm),
                            (m, out) -> out.children(table, value.apply(m)),
                            table));
            return this;
        }

        /// All of another table, as one member of the structure.
        <C> Builder<M> part(String place, EntityTable<C> table, Function<M, C> value) {
            for (var field : table.fields()) {
                var places = field.slurm().stream().map(each -> place + "." + each).toList();
                fields.add(
                        new Field<>(
                                "",
                                field.kind(),
                                "",
                                places,
                                (m, out) -> field.getter().get(value.apply(m), out),
                                field.children()));
            }
            return this;
        }

        EntityTable<M> build() {
            return new EntityTable<>(noun, structure, fields);
        }
    }

    static <M> Builder<M> of(String noun, String structure) {
        return new Builder<>(noun, structure);
    }
}
