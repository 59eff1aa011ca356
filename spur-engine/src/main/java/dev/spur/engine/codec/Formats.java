package dev.spur.engine.codec;

import dev.spur.model.notation.Text;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// Derives the format of a type from its declaration, once. A type that cannot be written is
/// refused here, when the first codec is made, and not when the first value comes.
final class Formats {
    private final Tags tags;
    private final Map<Class<?>, Format<?>> known = new HashMap<>(Leaves.ALL);
    private final Set<Class<?>> begun = new HashSet<>();

    Formats(Tags tags) {
        this.tags = tags;
    }

    @SuppressWarnings("unchecked")
    <T> Format<T> of(Class<T> type) {
        var made = known.get(type);
        if (made == null) {
            if (!begun.add(type)) {
                throw new IllegalArgumentException(
                        type.getName() + " contains itself: its depth would have no bound");
            }
            made = make(type);
            known.put(type, made);
        }
        return (Format<T>) made;
    }

    /// Several threads may decode, and two that meet a sealed interface with constants and one of
    /// its members first would wait for each other for ever: a class is begun here, by one.
    static void initialize(Class<?> type) {
        try {
            Class.forName(type.getName(), true, type.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private Format<?> make(Class<?> type) {
        initialize(type);
        if (type.isRecord()) {
            return record(type);
        }
        if (type.isEnum()) {
            return enumeration(type);
        }
        if (type.isInterface() && type.isSealed()) {
            return family(type);
        }
        throw new IllegalArgumentException(
                Text.of(
                        "no format for %s: use a record, an enum, a sealed interface, or add it to Leaves",
                        type.getName()));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Format<?> enumeration(Class<?> type) {
        return new EnumFormat(type);
    }

    private Format<?> family(Class<?> type) {
        var format = new FamilyFormat<>(type);
        for (var member : membersOf(type)) {
            format.add(member, tags.of(type, member), of(member));
        }
        return format;
    }

    /// The classes that a value of a sealed type may have.
    static List<Class<?>> membersOf(Class<?> sealed) {
        return Arrays.stream(sealed.getPermittedSubclasses())
                .<Class<?>>mapMulti((permitted, sink) -> {
                    if (permitted.isSealed()) {
                        membersOf(permitted).forEach(sink);
                    } else {
                        sink.accept(permitted);
                    }
                })
                .toList();
    }

    private Format<?> record(Class<?> type) {
        var parts = type.getRecordComponents();
        if (parts.length > RecordFormat.MOST_COMPONENTS) {
            throw new IllegalArgumentException(
                    Text.of(
                            "%s has %d components, at most %d can be written: make some of them a record",
                            type.getName(), parts.length, RecordFormat.MOST_COMPONENTS));
        }
        try {
            var lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
            var components = new ArrayList<Component>();
            for (var part : parts) {
                components.add(component(part, lookup.unreflect(part.getAccessor())));
            }
            var canonical =
                    type.getDeclaredConstructor(
                            Arrays.stream(parts)
                                    .map(RecordComponent::getType)
                                    .toArray(Class<?>[]::new));
            return new RecordFormat<>(type, lookup.unreflectConstructor(canonical), components);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("no access to " + type.getName(), e);
        }
    }

    private Component component(RecordComponent part, MethodHandle accessor) {
        var type = part.getType();
        if (type == boolean.class) {
            return new Component.OfBoolean(part.getName(), accessor);
        }
        if (type == int.class) {
            return new Component.OfInt(part.getName(), accessor);
        }
        if (type == long.class) {
            return new Component.OfLong(part.getName(), accessor);
        }
        var annotated = part.getAnnotatedType();
        return new Component.OfValue(
                part.getName(),
                accessor,
                of(annotated, part),
                annotated.isAnnotationPresent(Nullable.class));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private Format<Object> of(AnnotatedType annotated, RecordComponent part) {
        if (annotated.getType() instanceof Class<?> type) {
            return (Format<Object>) of(type);
        }
        if (annotated instanceof AnnotatedParameterizedType generic
                && generic.getType() instanceof java.lang.reflect.ParameterizedType type) {
            var arguments = generic.getAnnotatedActualTypeArguments();
            if (type.getRawType() == List.class) {
                return (Format) new ListFormat<>(member(arguments[0], part));
            }
            if (type.getRawType() == Map.class || type.getRawType() == SortedMap.class) {
                return (Format)
                        new MapFormat(member(arguments[0], part), member(arguments[1], part));
            }
        }
        throw new IllegalArgumentException(
                Text.of(
                        "no format for %s %s of %s",
                        annotated, part.getName(), part.getDeclaringRecord().getName()));
    }

    private Format<Object> member(AnnotatedType annotated, RecordComponent part) {
        if (annotated.isAnnotationPresent(Nullable.class)) {
            throw new IllegalArgumentException(
                    Text.of(
                            "%s of %s holds nulls: collections are written without",
                            part.getName(), part.getDeclaringRecord().getName()));
        }
        return of(annotated, part);
    }
}
