package dev.spur.engine.codec;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// A sealed interface: the tag of the member, then its record.
final class FamilyFormat<T> extends Format<T> {
    private record Member<M>(int tag, Format<M> format) {}

    private final String name;
    private final Map<Class<?>, Member<?>> byType = new HashMap<>();
    private final Map<Integer, Format<?>> byTag = new TreeMap<>();

    FamilyFormat(String name) {
        this.name = name;
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
            throw new IllegalArgumentException(value.getClass() + " has no tag in " + name);
        }
        out.writeUnsigned(member.tag);
        member.format.write(value, out);
    }

    @Override
    @SuppressWarnings("unchecked")
    T read(Input in) {
        var tag = in.readUnsigned();
        var format = tag == (int) tag ? (Format<T>) byTag.get((int) tag) : null;
        if (format == null) {
            throw new CodecException(
                    "%s has no member %d in this release: the bytes are damaged, or a newer release wrote them. Run that release."
                            .formatted(name, tag));
        }
        return format.read(in);
    }
}
