package dev.spur.engine.codec;

import dev.spur.model.notation.Text;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/// One component of a record: how to get it, write it and read it. Numbers are written without
/// being boxed: records of a snapshot have millions of them.
abstract sealed class Component {
    final String name;
    final MethodHandle accessor;

    private Component(String name, MethodHandle accessor, Class<?> type) {
        this.name = name;
        this.accessor = accessor.asType(MethodType.methodType(type, Object.class));
    }

    /// Writes the component unless it is empty; returns whether it is not.
    abstract boolean write(Object from, Output out) throws Throwable;

    abstract @Nullable Object read(Input in);

    /// What it is where it was not written.
    abstract @Nullable Object missing();

    /// Whether the record itself must supply a value where none was written.
    boolean needsValue() {
        return false;
    }

    static final class OfBoolean extends Component {
        OfBoolean(String name, MethodHandle accessor) {
            super(name, accessor, boolean.class);
        }

        /// That it is there already says it all.
        @Override
        boolean write(Object from, Output out) throws Throwable {
            return (boolean) accessor.invokeExact(from);
        }

        @Override
        Object read(Input in) {
            return true;
        }

        @Override
        Object missing() {
            return false;
        }
    }

    static final class OfInt extends Component {
        OfInt(String name, MethodHandle accessor) {
            super(name, accessor, int.class);
        }

        @Override
        boolean write(Object from, Output out) throws Throwable {
            var value = (int) accessor.invokeExact(from);
            if (value == 0) {
                return false;
            }
            out.writeSigned(value);
            return true;
        }

        @Override
        Object read(Input in) {
            return in.readInt();
        }

        @Override
        Object missing() {
            return 0;
        }
    }

    static final class OfLong extends Component {
        OfLong(String name, MethodHandle accessor) {
            super(name, accessor, long.class);
        }

        @Override
        boolean write(Object from, Output out) throws Throwable {
            var value = (long) accessor.invokeExact(from);
            if (value == 0) {
                return false;
            }
            out.writeSigned(value);
            return true;
        }

        @Override
        Object read(Input in) {
            return in.readSigned();
        }

        @Override
        Object missing() {
            return 0L;
        }
    }

    static final class OfValue extends Component {
        final Format<Object> format;
        final boolean nullable;
        private final @Nullable Object empty;

        OfValue(String name, MethodHandle accessor, Format<Object> format, boolean nullable) {
            super(name, accessor, Object.class);
            this.format = format;
            this.nullable = nullable;
            this.empty = nullable ? null : format.empty();
        }

        @Override
        boolean write(Object from, Output out) throws Throwable {
            var value = (@Nullable Object) accessor.invokeExact(from);
            if (value == null) {
                if (!nullable) {
                    throw isNull(name, from);
                }
                return false;
            }
            if (value.equals(empty)) {
                return false;
            }
            format.write(value, out);
            return true;
        }

        static IllegalArgumentException isNull(String name, Object from) {
            return new IllegalArgumentException(
                    Text.of("%s of %s is null", name, from.getClass().getName()));
        }

        @Override
        Object read(Input in) {
            return format.read(in);
        }

        @Override
        @Nullable Object missing() {
            return empty;
        }

        @Override
        boolean needsValue() {
            return !nullable && empty == null;
        }
    }
}
