package dev.spur.engine.codec;

import dev.spur.model.IndexSet;
import dev.spur.model.notation.ArraySpec;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Values of any type that the codec can write, the same for the same seed. Empty values come
/// often, since they are written in their own way.
public final class Generated {
    private static final List<String> TEXTS =
            List.of(
                    "gpu",
                    "batch",
                    "node[001-128]",
                    "/home/ada/run.sh",
                    "Zoë ⚙ 😀",
                    "x".repeat(200));
    private static final long[] NUMBERS = {
        1, -1, 2, 63, 64, 127, 128, 1000, 65_535, Integer.MAX_VALUE, Integer.MIN_VALUE
    };
    private static final int MOST_REFUSALS = 1000;

    private final Random random;

    public Generated(long seed) {
        random = new Random(seed);
    }

    /// One value of each class that a sealed type permits.
    <T> List<T> oneOfEach(Class<T> sealed) {
        var all = new ArrayList<T>();
        for (var member : Formats.membersOf(sealed)) {
            all.add(sealed.cast(value(member)));
        }
        return all;
    }

    public <T> T value(Class<T> type) {
        return type.cast(any(type));
    }

    private Object any(Class<?> type) {
        if (type.isRecord()) {
            return record(type);
        }
        if (type.isEnum()) {
            return pick(type.getEnumConstants());
        }
        if (type.isSealed()) {
            return any(Formats.membersOf(type).get(random.nextInt(Formats.membersOf(type).size())));
        }
        return switch (type.getName()) {
            case "boolean", "java.lang.Boolean" -> random.nextBoolean();
            case "int", "java.lang.Integer" -> (int) number();
            case "long", "java.lang.Long" -> random.nextInt(8) == 0 ? random.nextLong() : number();
            case "java.lang.Double" -> random.nextBoolean() ? 0.0 : random.nextGaussian();
            case "java.lang.String" -> text();
            case "java.time.Instant" ->
                    Instant.ofEpochSecond(number(), random.nextInt(1_000_000_000));
            case "java.time.Duration" ->
                    random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(number());
            case "dev.spur.model.IndexSet" -> indexSet();
            case "dev.spur.model.notation.ArraySpec" -> arraySpec();
            default -> throw new IllegalArgumentException("cannot make a " + type);
        };
    }

    /// Tries until the constructor agrees.
    private Object record(Class<?> type) {
        var parts = type.getRecordComponents();
        var types = Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new);
        for (var i = 0; i < MOST_REFUSALS; i++) {
            var values = Arrays.stream(parts).map(part -> of(part.getAnnotatedType())).toArray();
            try {
                var constructor = type.getDeclaredConstructor(types);
                constructor.setAccessible(true);
                return constructor.newInstance(values);
            } catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof IllegalArgumentException)) {
                    throw new IllegalStateException(e);
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        throw new IllegalStateException(type + " refuses everything");
    }

    private @Nullable Object of(AnnotatedType type) {
        if (type.isAnnotationPresent(Nullable.class) && random.nextBoolean()) {
            return null;
        }
        if (type.getType() instanceof Class<?> plain) {
            return any(plain);
        }
        var arguments = ((AnnotatedParameterizedType) type).getAnnotatedActualTypeArguments();
        return ((ParameterizedType) type.getType()).getRawType() == List.class
                ? list(arguments[0])
                : map(arguments[0], arguments[1]);
    }

    private List<@Nullable Object> list(AnnotatedType member) {
        var list = new ArrayList<@Nullable Object>();
        while (random.nextInt(3) != 0) {
            list.add(of(member));
        }
        return list;
    }

    /// In no particular order.
    private Map<@Nullable Object, @Nullable Object> map(AnnotatedType key, AnnotatedType value) {
        var map = new HashMap<@Nullable Object, @Nullable Object>();
        while (random.nextInt(3) != 0) {
            map.put(of(key), of(value));
        }
        return map;
    }

    private long number() {
        return random.nextInt(3) == 0 ? 0 : NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private String text() {
        return switch (random.nextInt(3)) {
            case 0 -> "";
            case 1 -> pick(TEXTS.toArray(String[]::new));
            default -> Long.toHexString(random.nextLong());
        };
    }

    private IndexSet indexSet() {
        var bits = new BitSet();
        while (random.nextInt(4) != 0) {
            var from = random.nextInt(300);
            bits.set(from, from + random.nextInt(130));
        }
        return IndexSet.of(bits);
    }

    private ArraySpec arraySpec() {
        var spec = ArraySpec.of(0, random.nextInt(1000));
        for (var i = random.nextInt(4); i > 0; i--) {
            spec = spec.without(random.nextInt(1000));
        }
        return spec.withThrottle(
                random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(1 + random.nextInt(9)));
    }

    private <T> T pick(T[] from) {
        return from[random.nextInt(from.length)];
    }
}
