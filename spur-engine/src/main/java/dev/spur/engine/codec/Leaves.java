package dev.spur.engine.codec;

import dev.spur.model.IndexSet;
import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.NotationException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Types that are neither records nor collections. Each has two functions here, named `write` and
/// `read` with its simple name.
final class Leaves {
    private Leaves() {}

    static final Map<Class<?>, Format<?>> ALL =
            Stream.of(
                            new Leaf<>(String.class, Leaves::writeString, Leaves::readString, ""),
                            // Boxed numbers are components that may be missing, or members of lists
                            // and maps: 0 is a value there.
                            new Leaf<>(
                                    Integer.class, Leaves::writeInteger, Leaves::readInteger, null),
                            new Leaf<>(Long.class, Leaves::writeLong, Leaves::readLong, null),
                            new Leaf<>(Double.class, Leaves::writeDouble, Leaves::readDouble, null),
                            new Leaf<>(
                                    Boolean.class, Leaves::writeBoolean, Leaves::readBoolean, null),
                            new Leaf<>(
                                    Instant.class, Leaves::writeInstant, Leaves::readInstant, null),
                            new Leaf<>(
                                    Duration.class,
                                    Leaves::writeDuration,
                                    Leaves::readDuration,
                                    Duration.ZERO),
                            new Leaf<>(
                                    IndexSet.class,
                                    Leaves::writeIndexSet,
                                    Leaves::readIndexSet,
                                    IndexSet.EMPTY),
                            new Leaf<>(
                                    ArraySpec.class,
                                    Leaves::writeArraySpec,
                                    Leaves::readArraySpec,
                                    null))
                    .collect(Collectors.toUnmodifiableMap(leaf -> leaf.type, leaf -> leaf));

    static void writeString(Output out, String value) {
        out.writeText(value);
    }

    static String readString(Input in) {
        return in.readText();
    }

    static void writeInteger(Output out, Integer value) {
        out.writeSigned(value);
    }

    static Integer readInteger(Input in) {
        return in.readInt();
    }

    static void writeLong(Output out, Long value) {
        out.writeSigned(value);
    }

    static Long readLong(Input in) {
        return in.readSigned();
    }

    /// Its bits, so that the same comes back.
    static void writeDouble(Output out, Double value) {
        out.writeSigned(Double.doubleToLongBits(value));
    }

    static Double readDouble(Input in) {
        return Double.longBitsToDouble(in.readSigned());
    }

    static void writeBoolean(Output out, Boolean value) {
        out.writeByte(value ? 1 : 0);
    }

    static Boolean readBoolean(Input in) {
        return switch (in.readByte()) {
            case 0 -> false;
            case 1 -> true;
            default -> throw in.damaged("neither true nor false");
        };
    }

    static void writeInstant(Output out, Instant value) {
        out.writeSigned(value.getEpochSecond());
        out.writeUnsigned(value.getNano());
    }

    static Instant readInstant(Input in) {
        try {
            return Instant.ofEpochSecond(in.readSigned(), in.readUnsigned());
        } catch (DateTimeException | ArithmeticException e) {
            throw in.damaged("a time is out of range");
        }
    }

    static void writeDuration(Output out, Duration value) {
        out.writeSigned(value.getSeconds());
        out.writeUnsigned(value.getNano());
    }

    static Duration readDuration(Input in) {
        try {
            return Duration.ofSeconds(in.readSigned(), in.readUnsigned());
        } catch (ArithmeticException e) {
            throw in.damaged("a duration is out of range");
        }
    }

    /// Signed words: an empty and a full word take one byte.
    static void writeIndexSet(Output out, IndexSet value) {
        var words = value.toWords();
        out.writeUnsigned(words.length);
        for (var word : words) {
            out.writeSigned(word);
        }
    }

    static IndexSet readIndexSet(Input in) {
        var words = new long[in.readCount()];
        for (var i = 0; i < words.length; i++) {
            words[i] = in.readSigned();
        }
        return IndexSet.ofWords(words);
    }

    static void writeArraySpec(Output out, ArraySpec value) {
        out.writeText(value.compact());
    }

    static ArraySpec readArraySpec(Input in) {
        var text = in.readText();
        try {
            return text.isEmpty() || text.startsWith("%")
                    ? withoutTasks(text)
                    : ArraySpec.parse(text);
        } catch (NotationException | NumberFormatException e) {
            throw in.damaged("not an array: " + text);
        }
    }

    /// All tasks were taken out; the throttle stays.
    private static ArraySpec withoutTasks(String text) {
        var none = ArraySpec.of(0, 0).without(0);
        return text.isEmpty()
                ? none
                : none.withThrottle(OptionalInt.of(Integer.parseInt(text.substring(1))));
    }
}
