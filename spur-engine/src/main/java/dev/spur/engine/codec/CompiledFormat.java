package dev.spur.engine.codec;

import dev.spur.engine.state.Command;
import java.util.List;

/// The form in which formats run. The build has [FormatCompiler] translate the derived formats into
/// a class `CompiledFormats`, which extends this one: for every record, family, list and map a pair
/// of static methods that read and write as one would by hand. Bytes and errors are those of the
/// derived formats; only a JVM that has just started is several times faster.
///
/// @param <T> the root that an instance was made for
abstract non-sealed class CompiledFormat<T> extends Format<T> {
    static final String NAME = CompiledFormat.class.getName() + "s";

    /// What is stored; everything else is part of these.
    static final List<Class<?>> ROOTS = List.of(Command.class, StatePart.class);

    /// Which of the roots this is.
    final int root;

    CompiledFormat(int root) {
        this.root = root;
    }

    /// The compiled format, or the derived one where the build did not make it, as in an IDE.
    static <T> Format<T> of(Class<T> root) {
        try {
            return made(Class.forName(NAME), ROOTS.indexOf(root));
        } catch (ClassNotFoundException e) {
            return new Formats(Tags.ALL).of(root);
        }
    }

    @SuppressWarnings("unchecked") // the compiler has chosen the type by the same number
    static <T> Format<T> made(Class<?> compiled, int root) {
        try {
            return (Format<T>) compiled.getDeclaredConstructor(int.class).newInstance(root);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    compiled.getName() + " is not of this release: build the module again", e);
        }
    }
}
