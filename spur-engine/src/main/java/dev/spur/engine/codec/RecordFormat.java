package dev.spur.engine.codec;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A record: a mask with a bit for each component that follows, the first component lowest, then
/// these components in the order of their declaration.
final class RecordFormat<R> extends Format<R> {
    /// Bits of a mask.
    static final int MOST_COMPONENTS = 63;

    private final String name;
    private final MethodHandle constructor;
    private final Component[] components;
    private final int maskWidth;

    /// @param constructor the canonical one
    RecordFormat(String name, MethodHandle constructor, List<Component> components) {
        this.name = name;
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
            throw new IllegalStateException("an accessor of " + name + " failed", e);
        }
    }

    @Override
    R read(Input in) {
        var present = in.readUnsigned();
        if (present >>> components.length != 0) {
            throw new CodecException(
                    "%s has %d components here, this release knows %d: the bytes are damaged, or a newer release wrote them. Run that release."
                            .formatted(
                                    name,
                                    Long.SIZE - Long.numberOfLeadingZeros(present),
                                    components.length));
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
                    throw new CodecException(
                            "%s without %s: its type has no empty value and the constructor supplies none"
                                    .formatted(name, components[i].name));
                }
            }
            return (R) made;
        } catch (CodecException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new CodecException(
                    "%s refuses what was read: %s".formatted(name, e.getMessage()), e);
        }
    }
}
