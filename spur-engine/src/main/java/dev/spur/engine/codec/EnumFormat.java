package dev.spur.engine.codec;

import dev.spur.model.notation.Text;
import java.util.HashMap;
import java.util.Map;

/// Constants go by name: their order may change, their names must not.
final class EnumFormat<E extends Enum<E>> extends Format<E> {
    final Class<E> type;
    private final Map<String, E> constants = new HashMap<>();

    EnumFormat(Class<E> type) {
        this.type = type;
        for (var constant : type.getEnumConstants()) {
            constants.put(constant.name(), constant);
        }
    }

    @Override
    void write(E value, Output out) {
        out.writeText(value.name());
    }

    @Override
    E read(Input in) {
        var name = in.readText();
        var constant = constants.get(name);
        if (constant == null) {
            throw new CodecException(
                    Text.of(
                            "%s has no %s in this release: a newer one wrote it. Run that release.",
                            type.getSimpleName(), name));
        }
        return constant;
    }
}
