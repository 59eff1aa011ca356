package dev.spur.runtime.config;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The keys of a section, read off its record.
record Keys(List<Entry> entries) {

    /// One record component and how the file writes it.
    record Entry(RecordComponent component, String key, @Nullable Key hints) {
        boolean isRequired() {
            return hints != null && hints.required();
        }

        boolean isLive() {
            return hints != null && hints.live();
        }

        boolean isNotYetUsed() {
            return hints != null && hints.notYetUsed();
        }

        /// In words, for the manual; empty for a section.
        String meaning() {
            var means = component.getAnnotation(Means.class);
            return means == null ? "" : means.value();
        }

        /// The record of the section, or of each entry of the list of sections, that the key holds;
        /// missing where it holds a value.
        @Nullable Class<? extends Record> section() {
            var type = component.getType();
            if (type == List.class
                    && component.getGenericType() instanceof ParameterizedType list
                    && list.getActualTypeArguments()[0] instanceof Class<?> element) {
                type = element;
            }
            return Effective.isSection(type) ? type.asSubclass(Record.class) : null;
        }

        String formerKey() {
            return hints == null ? "" : hints.formerly();
        }

        /// One of the key's unit, for a `Duration`.
        Duration unit() {
            if (key.endsWith("_days")) {
                return Duration.ofDays(1);
            }
            return key.endsWith("_minutes") ? Duration.ofMinutes(1) : Duration.ofSeconds(1);
        }

        @Nullable Object valueIn(Record section) {
            try {
                return component.getAccessor().invoke(section);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("cannot read " + component, e);
            }
        }
    }

    static Keys of(Class<? extends Record> section) {
        return new Keys(Arrays.stream(section.getRecordComponents()).map(Keys::entry).toList());
    }

    private static Entry entry(RecordComponent component) {
        var hints = component.getAnnotation(Key.class);
        var key =
                hints == null || hints.value().isEmpty()
                        ? snakeCase(component.getName())
                        : hints.value();
        component.getAccessor().setAccessible(true);
        return new Entry(component, key, hints);
    }

    private static String snakeCase(String name) {
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }
}
