package dev.spur.api.view;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The value of one field by itself: to sort and to choose by.
public final class FieldValue implements Values {
    /// What there is none of comes last.
    private static final Comparator<FieldValue> ORDER =
            Comparator.comparing((FieldValue value) -> value.isMissing())
                    .thenComparingDouble(value -> value.number)
                    .thenComparing(value -> value.text);

    private final Surroundings surroundings;
    private double number;
    private String text = "";
    private @Nullable List<String> words;
    private boolean isMissing;

    private FieldValue(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    public static <M> FieldValue of(Field<M> field, M message, Surroundings surroundings) {
        var value = new FieldValue(surroundings);
        field.getter().get(message, value);
        return value;
    }

    public static <M> Comparator<M> order(Field<M> field, Surroundings surroundings) {
        return (one, other) ->
                ORDER.compare(of(field, one, surroundings), of(field, other, surroundings));
    }

    /// Whether it is this text in any case, or has it as one of its words.
    public boolean matches(String wanted) {
        var known = words;
        return known == null
                ? text.equalsIgnoreCase(wanted)
                : known.stream().anyMatch(word -> word.equalsIgnoreCase(wanted));
    }

    private boolean isMissing() {
        return isMissing;
    }

    private void put(double value, String shown) {
        number = value;
        text = shown;
    }

    @Override
    public void text(String value) {
        text = value;
    }

    @Override
    public void number(long value) {
        put(value, Long.toString(value));
    }

    @Override
    public void decimal(double value) {
        put(value, Double.toString(value));
    }

    @Override
    public void flag(boolean isSet) {
        put(isSet ? 1 : 0, Boolean.toString(isSet));
    }

    @Override
    public void instant(long micros) {
        isMissing = micros == 0;
        put(micros, "");
    }

    @Override
    public void words(Collection<String> values) {
        var all = new ArrayList<>(values);
        words = all;
        text = String.join(",", all);
    }

    @Override
    public void exit(int code, int signal) {
        put(code * 256.0 + signal, "%d:%d".formatted(code, signal));
    }

    @Override
    public void tres(String amounts) {
        text = amounts;
    }

    @Override
    public void amounts(Map<String, Long> byName) {
        text = byName.toString();
    }

    @Override
    public String tresName(int id) {
        return surroundings.tresName(id);
    }

    @Override
    public void none() {
        isMissing = true;
    }

    @Override
    public void unlimited() {
        put(Double.MAX_VALUE, "unlimited");
    }

    @Override
    public <C> void children(EntityTable<C> table, List<C> children) {
        put(children.size(), Integer.toString(children.size()));
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
