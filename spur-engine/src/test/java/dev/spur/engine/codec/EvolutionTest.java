package dev.spur.engine.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// What may become of a record from one release to the next.
@ParameterizedClass
@EnumSource
class EvolutionTest {
    /// Both forms of a format hold to it.
    enum Form {
        DERIVED {
            @Override
            <T> Format<T> of(Class<T> type) {
                return new Formats(new Tags(List.of())).of(type);
            }
        },
        COMPILED {
            @Override
            <T> Format<T> of(Class<T> type) {
                var formats = new Formats(new Tags(List.of()));
                var name = type.getName() + "Format";
                var compiled = FormatCompiler.compile(name, formats, List.of(type));
                return CompiledFormat.made(MADE.computeIfAbsent(name, _ -> defined(compiled)), 0);
            }
        };

        abstract <T> Format<T> of(Class<T> type);

        private static Class<?> defined(byte[] compiled) {
            try {
                return MethodHandles.lookup().defineClass(compiled);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /// A class is defined once.
    private static final Map<String, Class<?>> MADE = new HashMap<>();

    enum Colour {
        RED,
        BLUE
    }

    record Old(String name, int count) {}

    record WithEverything(
            String name,
            int count,
            long size,
            boolean loud,
            String text,
            List<String> names,
            Map<String, Integer> numbers,
            Duration pause,
            @Nullable Instant since,
            @Nullable Colour colour) {}

    record WithSupplied(String name, int count, Colour colour) {
        WithSupplied {
            colour = colour == null ? Colour.BLUE : colour;
        }
    }

    record WithUnsupplied(String name, int count, Colour colour) {}

    record Recursive(List<Recursive> parts) {}

    record Untagged(Family family) {}

    sealed interface Family {}

    record Member() implements Family {}

    private final Form form;

    EvolutionTest(Form form) {
        this.form = form;
    }

    private byte[] written(Record value) {
        var out = new Output(new RecentTexts(16));
        write(value, out);
        return out.toBytes();
    }

    @SuppressWarnings("unchecked")
    private <T> void write(T value, Output out) {
        form.of((Class<T>) value.getClass()).write(value, out);
    }

    private <T> T read(Class<T> type, byte[] bytes) {
        return form.of(type).read(new Input(bytes, 0, bytes.length, new RecentTexts(16)));
    }

    @Test
    void appendedComponentsOfOldBytesAreEmpty() {
        assertThat(read(WithEverything.class, written(new Old("a", 3))))
                .isEqualTo(
                        new WithEverything(
                                "a",
                                3,
                                0,
                                false,
                                "",
                                List.of(),
                                Map.of(),
                                Duration.ZERO,
                                null,
                                null));
    }

    @Test
    void recordMaySupplyWhatItsTypeHasNoEmptyValueFor() {
        assertThat(read(WithSupplied.class, written(new Old("a", 3))))
                .isEqualTo(new WithSupplied("a", 3, Colour.BLUE));
    }

    @Test
    void recordThatSuppliesNothingIsRefused() {
        var bytes = written(new Old("a", 3));

        assertThatThrownBy(() -> read(WithUnsupplied.class, bytes))
                .isInstanceOf(CodecException.class)
                .hasMessage(
                        "WithUnsupplied without colour: its type has no empty value and the constructor supplies none");
    }

    @Test
    void appendedComponentThatIsUsedIsRefusedByAnOlderRelease() {
        var bytes = written(new WithSupplied("a", 3, Colour.RED));

        assertThatThrownBy(() -> read(Old.class, bytes))
                .isInstanceOf(CodecException.class)
                .hasMessageStartingWith("Old has 3 components here, this release knows 2");
    }

    @Test
    void appendedComponentThatIsEmptyIsNoObstacleToAnOlderRelease() {
        var bytes =
                written(
                        new WithEverything(
                                "a",
                                3,
                                0,
                                false,
                                "",
                                List.of(),
                                Map.of(),
                                Duration.ZERO,
                                null,
                                null));

        assertThat(read(Old.class, bytes)).isEqualTo(new Old("a", 3));
    }

    @Test
    void orderOfMapsDoesNotMatter() {
        record Holder(Map<String, Integer> map) {}
        var ascending = new java.util.LinkedHashMap<String, Integer>();
        var descending = new java.util.LinkedHashMap<String, Integer>();
        for (var i = 0; i < 9; i++) {
            ascending.put("key" + i, i);
            descending.put("key" + (8 - i), 8 - i);
        }

        assertThat(written(new Holder(ascending))).isEqualTo(written(new Holder(descending)));
    }

    @Test
    void memberWithoutTagIsRefusedBeforeAnythingIsWritten() {
        assertThatThrownBy(() -> form.of(Untagged.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("add one to Tags");
    }

    @Test
    void recordThatContainsItselfIsRefused() {
        assertThatThrownBy(() -> form.of(Recursive.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("contains itself");
    }
}
