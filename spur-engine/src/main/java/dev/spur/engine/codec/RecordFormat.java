package dev.spur.engine.codec;

import dev.spur.model.notation.Text;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A record: a mask with a bit for each component that follows, the first component lowest, then
/// these components in the order of their declaration.
final class RecordFormat<R> extends Format<R> {
    /// Bits of a mask.
    static final int MOST_COMPONENTS = 63;

    final Class<?> type;
    final Component[] components;
    final int maskWidth;
    private final MethodHandle constructor;

    /// @param constructor the canonical one
    RecordFormat(Class<?> type, MethodHandle constructor, List<Component> components) {
        this.type = type;
        this.components = components.toArray(Component[]::new);
        this.constructor =
                constructor
                        .asSpreader(Object[].class, components.size())
                        .asType(MethodType.methodType(Object.class, Object[].class));
        this.maskWidth = Math.max(1, (components.size() + 6) / 7);
    }

    @Override
    void write(R value, Output out) {
        var mask = out.reserve(maskWidth);
        out.fill(mask, maskWidth, writeComponents(value, out));
    }

    private long writeComponents(Object from, Output out) {
        try {
            var present = 0L;
            for (var i = 0; i < components.length; i++) {
                if (components[i].write(from, out)) {
                    present |= 1L << i;
                }
            }
            return present;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("an accessor of " + type.getName() + " failed", e);
        }
    }

    @Override
    R read(Input in) {
        var present = in.readUnsigned();
        if (present >>> components.length != 0) {
            throw unknownComponents(present, components.length, type.getSimpleName());
        }
        var values = new @Nullable Object[components.length];
        for (var i = 0; i < components.length; i++) {
            values[i] = (present & 1L << i) != 0 ? components[i].read(in) : components[i].missing();
        }
        return construct(values, present);
    }

    @SuppressWarnings("unchecked")
    private R construct(@Nullable Object[] values, long present) {
        try {
            var made = (Object) constructor.invokeExact(values);
            for (var i = 0; i < components.length; i++) {
                if ((present & 1L << i) == 0
                        && components[i].needsValue()
                        && (Object) components[i].accessor.invokeExact(made) == null) {
                    throw without(components[i].name, type.getSimpleName());
                }
            }
            return (R) made;
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw refused(e, type.getSimpleName());
        }
    }

    static CodecException unknownComponents(long present, int known, String record) {
        return new CodecException(
                Text.of(
                        "%s has %d components here, this release knows %d: the bytes are damaged, or a newer release wrote them. Run that release.",
                        record, Long.SIZE - Long.numberOfLeadingZeros(present), known));
    }

    static CodecException without(String component, String record) {
        return new CodecException(
                Text.of(
                        "%s without %s: its type has no empty value and the constructor supplies none",
                        record, component));
    }

    static CodecException refused(Throwable because, String record) {
        return because instanceof CodecException already
                ? already
                : new CodecException(
                        Text.of(
                                "%s refuses what was read: %s",
                                record, String.valueOf(because.getMessage())),
                        because);
    }
}
