package dev.spur.engine.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.engine.state.Command;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Compiled and derived formats are one: the same bytes, the same values, the same words about what
/// is wrong.
class FormatCompilerTest {
    private final Formats formats = new Formats(Tags.ALL);
    private final Format<Command> derived = formats.of(Command.class);
    private final Format<StatePart> derivedParts = formats.of(StatePart.class);
    private final Format<Command> compiled = CompiledFormat.of(Command.class);
    private final Format<StatePart> compiledParts = CompiledFormat.of(StatePart.class);

    private static <T> byte[] written(Format<T> format, T value) {
        var out = new Output(new RecentTexts(64));
        format.write(value, out);
        return out.toBytes();
    }

    private static <T> T read(Format<T> format, byte[] bytes) {
        return format.read(new Input(bytes, 0, bytes.length, new RecentTexts(64)));
    }

    /// What came of it: a value, or the error and its words.
    private static String outcome(Supplier<?> action) {
        try {
            return String.valueOf(action.get());
        } catch (RuntimeException e) {
            return e.getClass().getName() + ": " + e.getMessage();
        }
    }

    @Test
    void whatTheBuildCompiledIsWhatRunsAndIsOfTheseRecords() throws IOException {
        assertThat(compiled).isInstanceOf(CompiledFormat.class);
        try (var built = compiled.getClass().getResourceAsStream("CompiledFormats.class")) {
            assertThat(built).isNotNull();
            assertThat(built.readAllBytes())
                    .isEqualTo(
                            FormatCompiler.compile(
                                    CompiledFormat.NAME, formats, CompiledFormat.ROOTS));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void everyValueHasTheSameBytesAndComesBack(long seed) {
        for (var command : new Generated(seed).oneOfEach(Command.class)) {
            agree(derived, compiled, command);
        }
        for (var part : new Generated(seed).oneOfEach(StatePart.class)) {
            agree(derivedParts, compiledParts, part);
        }
    }

    @Test
    void aBusyDayHasTheSameBytesAndComesBack() {
        Workload.of(3, 1500).forEach(command -> agree(derived, compiled, command));
    }

    private static <T> void agree(Format<T> derived, Format<T> compiled, T value) {
        var bytes = written(derived, value);

        assertThat(written(compiled, value)).as("%s", value).isEqualTo(bytes);
        assertThat(read(compiled, bytes)).isEqualTo(read(derived, bytes)).isEqualTo(value);
    }

    @Test
    void damageIsToldInTheSameWords() {
        var all = new ArrayList<byte[]>();
        new Generated(1)
                .oneOfEach(Command.class)
                .forEach(command -> all.add(written(derived, command)));
        var random = new Random(1);
        for (var bytes : all) {
            for (var round = 0; round < 200; round++) {
                var damaged = bytes.clone();
                for (var i = random.nextInt(3); i >= 0; i--) {
                    damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
                }

                assertThat(outcome(() -> read(compiled, damaged)))
                        .isEqualTo(outcome(() -> read(derived, damaged)));
            }
        }
    }

    @Test
    @SuppressWarnings("NullAway") // that is the point
    void valuesThatCannotBeWrittenAreRefusedInTheSameWords() {
        var incomplete = new StatePart.Header(null, null, null, null, null, null, null, null, 0);

        assertThat(outcome(() -> written(compiledParts, incomplete)))
                .isEqualTo(outcome(() -> written(derivedParts, incomplete)))
                .contains("now of dev.spur.engine.codec.StatePart$Header is null");
    }

    @Test
    void recordThatCompiledFormatsCouldNotReachIsRefused() {
        assertThatThrownBy(() ->
                        FormatCompiler.compile(
                                "elsewhere.Formats", formats, List.of(StatePart.class)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not public");
    }
}
