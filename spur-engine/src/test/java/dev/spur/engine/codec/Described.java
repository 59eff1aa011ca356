package dev.spur.engine.codec;

import dev.spur.model.IndexSet;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A value as text, in which only components that are not empty occur: a component that is appended
/// to a record changes nothing about descriptions of older values.
final class Described {
    private Described() {}

    static String of(Object value) {
        return switch (value) {
            case Record record -> record(record);
            case List<?> list -> {
                var text = new StringJoiner(", ", "[", "]");
                list.forEach(member -> text.add(of(member)));
                yield text.toString();
            }
            case Map<?, ?> map -> {
                var text = new StringJoiner(", ", "{", "}");
                new TreeMap<>(map).forEach((key, member) -> text.add(of(key) + ": " + of(member)));
                yield text.toString();
            }
            case String text -> '"' + text + '"';
            default -> value.toString();
        };
    }

    private static String record(Record record) {
        var text = new StringJoiner(", ", record.getClass().getSimpleName() + "(", ")");
        for (var component : record.getClass().getRecordComponents()) {
            try {
                component.getAccessor().setAccessible(true);
                var value = component.getAccessor().invoke(record);
                if (!isEmpty(value, component.getType().isPrimitive())) {
                    text.add(component.getName() + "=" + of(value));
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        return text.toString();
    }

    private static boolean isEmpty(@Nullable Object value, boolean primitive) {
        return switch (value) {
            case null -> true;
            case Boolean flag -> primitive && !flag;
            case Number number -> primitive && number.longValue() == 0;
            case String text -> text.isEmpty();
            case List<?> list -> list.isEmpty();
            case Map<?, ?> map -> map.isEmpty();
            case IndexSet set -> set.isEmpty();
            case Duration duration -> duration.isZero();
            default -> false;
        };
    }
}
