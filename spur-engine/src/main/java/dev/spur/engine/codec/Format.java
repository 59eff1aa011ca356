package dev.spur.engine.codec;

import org.jspecify.annotations.Nullable;

/// How values of one type are written. Takes a byte at least, so that counts can be checked.
abstract sealed class Format<T>
        permits RecordFormat,
                FamilyFormat,
                ListFormat,
                MapFormat,
                EnumFormat,
                Leaf,
                CompiledFormat {
    abstract void write(T value, Output out);

    abstract T read(Input in);

    /// The value that a record does not write; null if the type has none.
    @Nullable T empty() {
        return null;
    }
}
