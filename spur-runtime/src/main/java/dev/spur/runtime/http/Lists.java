package dev.spur.runtime.http;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Says of an endpoint that it answers with a list.
public final class Lists {
    private Lists() {}

    public static Type of(Class<?> element) {
        return new ListType(element);
    }

    private record ListType(Class<?> element) implements ParameterizedType {
        @Override
        public Type[] getActualTypeArguments() {
            return new Type[] {element};
        }

        @Override
        public Type getRawType() {
            return List.class;
        }

        @Override
        public @Nullable Type getOwnerType() {
            return null;
        }
    }
}
