package dev.spur.engine.codec;

import dev.spur.model.notation.Text;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/// A sealed interface: the tag of the member, then its record.
final class FamilyFormat<T> extends Format<T> {
    record Member<M>(int tag, Format<M> format) {}

    final Class<T> type;
    private final Map<Class<?>, Member<?>> byType = new LinkedHashMap<>();
    private final Map<Integer, Format<?>> byTag = new TreeMap<>();

    FamilyFormat(Class<T> type) {
        this.type = type;
    }

    void add(Class<?> type, int tag, Format<?> format) {
        byType.put(type, new Member<>(tag, format));
        byTag.put(tag, format);
    }

    @Override
    @SuppressWarnings("unchecked")
    void write(T value, Output out) {
        var member = (Member<T>) byType.get(value.getClass());
        if (member == null) {
            throw withoutTag(value, type.getSimpleName());
        }
        out.writeUnsigned(member.tag);
        member.format.write(value, out);
    }

    @Override
    @SuppressWarnings("unchecked")
    T read(Input in) {
        var tag = in.readUnsigned();
        var format = (Format<T>) byTag.get(narrow(tag));
        if (format == null) {
            throw unknown(tag, type.getSimpleName());
        }
        return format.read(in);
    }

    Map<Class<?>, Member<?>> members() {
        return byType;
    }

    /// The tag as an int, or one that nobody has.
    static int narrow(long tag) {
        return tag == (int) tag ? (int) tag : -1;
    }

    static IllegalArgumentException withoutTag(Object value, String family) {
        return new IllegalArgumentException(value.getClass() + " has no tag in " + family);
    }

    static CodecException unknown(long tag, String family) {
        return new CodecException(
                Text.of(
                        "%s has no member %d in this release: the bytes are damaged, or a newer release wrote them. Run that release.",
                        family, tag));
    }
}
