package dev.spur.engine.codec;

import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A type that is written by two functions of its own.
final class Leaf<T> extends Format<T> {
    final Class<T> type;
    private final BiConsumer<Output, T> writer;
    private final Function<Input, T> reader;
    private final @Nullable T empty;

    Leaf(
            Class<T> type,
            BiConsumer<Output, T> writer,
            Function<Input, T> reader,
            @Nullable T empty) {
        this.type = type;
        this.writer = writer;
        this.reader = reader;
        this.empty = empty;
    }

    @Override
    void write(T value, Output out) {
        writer.accept(out, value);
    }

    @Override
    T read(Input in) {
        return reader.apply(in);
    }

    @Override
    @Nullable T empty() {
        return empty;
    }
}
