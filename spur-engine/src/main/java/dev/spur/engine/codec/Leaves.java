package dev.spur.engine.codec;

import dev.spur.model.IndexSet;
import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.NotationException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalInt;

/// Types that are neither records nor collections.
final class Leaves {
    private Leaves() {}

    static final Map<Class<?>, Format<?>> ALL =
            Map.of(
                    String.class,
                    new Leaf<>(Output::writeText, Input::readText, ""),
                    // Boxed numbers are components that may be missing, or members of lists and
                    // maps: 0 is a
                    // value there.
                    Integer.class,
                    new Leaf<Integer>(Output::writeSigned, Input::readInt, null),
                    Long.class,
                    new Leaf<Long>(Output::writeSigned, Input::readSigned, null),
                    Boolean.class,
                    new Leaf<Boolean>(Leaves::writeBoolean, Leaves::readBoolean, null),
                    Instant.class,
                    new Leaf<>(Leaves::writeInstant, Leaves::readInstant, null),
                    Duration.class,
                    new Leaf<>(Leaves::writeDuration, Leaves::readDuration, Duration.ZERO),
                    IndexSet.class,
                    new Leaf<>(Leaves::writeIndexSet, Leaves::readIndexSet, IndexSet.EMPTY),
                    ArraySpec.class,
                    new Leaf<>(Leaves::writeArraySpec, Leaves::readArraySpec, null));

    private static void writeBoolean(Output out, boolean value) {
        out.writeByte(value ? 1 : 0);
    }

    private static boolean readBoolean(Input in) {
        return switch (in.readByte()) {
            case 0 -> false;
            case 1 -> true;
            default -> throw in.damaged("neither true nor false");
        };
    }

    private static void writeInstant(Output out, Instant value) {
        out.writeSigned(value.getEpochSecond());
        out.writeUnsigned(value.getNano());
    }

    private static Instant readInstant(Input in) {
        try {
            return Instant.ofEpochSecond(in.readSigned(), in.readUnsigned());
        } catch (DateTimeException | ArithmeticException e) {
            throw in.damaged("a time is out of range");
        }
    }

    private static void writeDuration(Output out, Duration value) {
        out.writeSigned(value.getSeconds());
        out.writeUnsigned(value.getNano());
    }

    private static Duration readDuration(Input in) {
        try {
            return Duration.ofSeconds(in.readSigned(), in.readUnsigned());
        } catch (ArithmeticException e) {
            throw in.damaged("a duration is out of range");
        }
    }

    /// Signed words: an empty and a full word take one byte.
    private static void writeIndexSet(Output out, IndexSet value) {
        var words = value.toWords();
        out.writeUnsigned(words.length);
        for (var word : words) {
            out.writeSigned(word);
        }
    }

    private static IndexSet readIndexSet(Input in) {
        var words = new long[in.readCount()];
        for (var i = 0; i < words.length; i++) {
            words[i] = in.readSigned();
        }
        return IndexSet.ofWords(words);
    }

    private static void writeArraySpec(Output out, ArraySpec value) {
        out.writeText(value.compact());
    }

    private static ArraySpec readArraySpec(Input in) {
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
