package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeCountTest {
    @ParameterizedTest
    @CsvSource({"2, 2, 2", "2-4, 2, 4", "1k, 1024, 1024", "2M, 2097152, 2097152", "1-1k, 1, 1024"})
    void countIsANumberOrARange(String text, int least, int most) {
        assertThat(NodeCount.parse(text)).isEqualTo(NodeCount.between(least, most));
    }

    @Test
    void stepsAndListsAllowOnlyTheirOwnCounts() {
        assertThat(NodeCount.parse("1-15:4")).isEqualTo(new NodeCount(1, 13, List.of(1, 5, 9, 13)));
        assertThat(NodeCount.parse("9,1,5")).isEqualTo(new NodeCount(1, 9, List.of(1, 5, 9)));
        assertThat(NodeCount.parse("1,5,9").allows(5)).isTrue();
        assertThat(NodeCount.parse("1,5,9").allows(4)).isFalse();
    }

    @Test
    void maximumBelowMinimumSaysSo() {
        assertThatThrownBy(() -> NodeCount.parse("4-2"))
                .hasMessageContaining("maximum 2 is less than its minimum 4");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "x", "0", "-1", "1-", "1,,2", "1:2:3", "1-9:0", "2g", "3000m", "1-2m:1"})
    void anythingElseIsNotAValidNodeCount(String text) {
        assertThatThrownBy(() -> NodeCount.parse(text))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("\"" + text + "\" is not a valid node count");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "2-4", "1,5,9"})
    void countPrintsAsItIsWritten(String text) {
        assertThat(NodeCount.parse(text)).hasToString(text);
    }
}
