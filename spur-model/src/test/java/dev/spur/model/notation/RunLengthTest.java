package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunLengthTest {
    @Test
    void equalNeighboursAreFolded() {
        assertThat(RunLength.compress(List.of(2, 2, 2, 1))).isEqualTo("2(x3),1");
        assertThat(RunLength.compress(List.of(4, 4))).isEqualTo("4(x2)");
        assertThat(RunLength.compress(List.of(1, 2, 1))).isEqualTo("1,2,1");
        assertThat(RunLength.compress(List.of())).isEmpty();
    }

    @Test
    void expandingWhatWasCompressedGivesTheSameCounts() {
        var random = new Random(33);
        for (var round = 0; round < 500; round++) {
            var counts = random.ints(1 + random.nextInt(50), 1, 4).boxed().toList();

            assertThat(RunLength.expand(RunLength.compress(counts))).isEqualTo(counts);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "2(x)", "2(3)", "2(x3", "1,,2", "2(x9999999)"})
    void malformedTextIsRefusedAndNamed(String text) {
        assertThatThrownBy(() -> RunLength.expand(text))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("\"" + text + "\"");
    }
}
