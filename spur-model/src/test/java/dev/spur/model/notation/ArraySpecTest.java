package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArraySpecTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    0-3        | 0 1 2 3
                    0-15:4     | 0 4 8 12
                    1,3,5-7%4  | 1 3 5 6 7
                    7,1-3,2-4  | 1 2 3 4 7
                    0-10:5,3   | 0 3 5 10
                    [2-4]      | 2 3 4
                    5          | 5
                    5-5:3      | 5
                    """)
    void specHoldsItsIndicesInAscendingOrder(String text, String indices) {
        assertThat(joined(ArraySpec.parse(text))).isEqualTo(indices);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                            3-10%2         | 3-10%2
                            1,3,5,10,15,20 | 1,3,5,10,15,20
                            1,2,3,7        | 1-3,7
                            3-7:2%2        | 3,5,7%2
                            0-15:4         | 0,4,8,12
                            0-30:3         | 0-30:3
                            0,3,6,9,12     | 0,3,6,9,12
                    0,3,6,9,12,15  | 0-15:3
                    0-10:2         | 0,2,4,6,8,10
                    1,20           | 1,20
                    1-3%2,5        | 1-3,5%2
                            1-3%0          | 1-3
                    """)
    void specIsPrintedAsSlurmPrintsIt(String text, String printed) {
        assertThat(ArraySpec.parse(text)).hasToString(printed);
        assertThat(ArraySpec.parse(text).bracketed()).isEqualTo("[" + printed + "]");
    }

    @Test
    @Timeout(30)
    void rangesThatOverlapAThousandTimesCostNothing() {
        var overlapping = String.join(",", Collections.nCopies(200, "0-3999999"));

        for (var i = 0; i < 1_000; i++) {
            assertThat(ArraySpec.parse(overlapping).count()).isEqualTo(4_000_000);
        }
        assertThat(ArraySpec.parse("3-5,0-4,7,6-9,0-30:10").compact()).isEqualTo("0-10,20,30");
        assertThatThrownBy(() -> ArraySpec.parse("0-3999998:2,1-3999999:3"))
                .hasMessageContaining("write each index once");
    }

    @Test
    void twoSetsMeetIfSomeIndexIsInBoth() {
        var random = new java.util.Random(7);
        for (var i = 0; i < 2_000; i++) {
            var one = ArraySpec.parse(some(random) + "," + some(random));
            var other = ArraySpec.parse(some(random));
            assertThat(one.intersects(other))
                    .as("%s and %s", one, other)
                    .isEqualTo(one.indices().anyMatch(other::contains));
        }
    }

    private static String some(java.util.Random random) {
        var first = random.nextInt(40);
        return first + "-" + (first + random.nextInt(40)) + ":" + (1 + random.nextInt(9));
    }

    @Test
    void longTextIsCutAsSlurmCutsIt() {
        var spec =
                ArraySpec.parse(
                        "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,50-99%4");

        assertThat(spec.abbreviated(64))
                .isEqualTo("1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43...%4");
        assertThat(spec.abbreviated(0)).isEqualTo(spec.toString());
        assertThat(ArraySpec.parse("1-5%4").abbreviated(64)).isEqualTo("1-5%4");
    }

    @Test
    void specTellsWhatTheEnvironmentOfATaskNeeds() {
        var spec = ArraySpec.parse("3-7:2%2");

        assertThat(spec.count()).isEqualTo(3);
        assertThat(spec.min()).isEqualTo(3);
        assertThat(spec.max()).isEqualTo(7);
        assertThat(spec.step()).isEqualTo(2);
        assertThat(spec.throttle()).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "abc", "1,", "3-1", "1-", "-1", "1-5:0", "1:2", "1%", "1%x", "1%2%3", "1-2-3",
                "[1-2", "1-2]", "1 2", "4000001", "%4"
            })
    void malformedSpecIsRefusedAndNamed(String text) {
        assertThatThrownBy(() -> ArraySpec.parse(text))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("\"" + text + "\" is not an array specification");
    }

    @Test
    void indexMustBeBelowMaxArraySize() {
        assertThat(ArraySpec.parse("0-1000", 1001).count()).isEqualTo(1001);
        assertThatThrownBy(() -> ArraySpec.parse("0-1001", 1001))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("below 1001");
    }

    @Test
    void takingAnIndexOutSplitsOneRange() {
        var spec = ArraySpec.parse("0-999999%10");

        var rest = spec.without(0).without(500_000).without(500_000).without(2_000_000);

        assertThat(rest).hasToString("1-499999,500001-999999%10");
        assertThat(rest.ranges()).hasSize(2);
        assertThat(rest.count()).isEqualTo(999_998);
        assertThat(rest.contains(500_000)).isFalse();
    }

    @Test
    void emptyingAnArrayLeavesNothing() {
        assertThat(ArraySpec.parse("4-5").without(4).without(5).isEmpty()).isTrue();
    }

    @Test
    void equalityIsAboutIndicesNotSpelling() {
        assertThat(ArraySpec.parse("1-3,4"))
                .isEqualTo(ArraySpec.parse("1,2,3-4"))
                .hasSameHashCodeAs(ArraySpec.parse("1-4"));
        assertThat(ArraySpec.parse("1-3")).isNotEqualTo(ArraySpec.parse("1-3%2"));
    }

    @Test
    void throttleCanChange() {
        assertThat(ArraySpec.parse("1-3%2").withThrottle(OptionalInt.of(5))).hasToString("1-3%5");
        assertThat(ArraySpec.parse("1-3%2").withThrottle(OptionalInt.empty())).hasToString("1-3");
    }

    @Test
    void everySetOfIndicesSurvivesPrintingStoringAndRemoval() {
        var random = new Random(46);
        for (var round = 0; round < 2_000; round++) {
            var parts = randomParts(random);
            var spec = ArraySpec.parse(String.join(",", parts));
            var removed = random.nextInt(40);
            var expected = new TreeSet<>(spec.indices().boxed().toList());
            expected.remove(removed);

            var rest = spec.without(removed);

            assertThat(rest.indices().boxed()).containsExactlyElementsOf(expected);
            if (!rest.isEmpty()) {
                assertThat(ArraySpec.parse(rest.toString())).isEqualTo(rest);
                assertThat(ArraySpec.parse(rest.compact())).isEqualTo(rest);
            }
        }
    }

    private static List<String> randomParts(Random random) {
        var parts = new ArrayList<String>();
        for (var i = random.nextInt(4); i >= 0; i--) {
            var first = random.nextInt(40);
            parts.add(
                    "%d-%d:%d".formatted(first, first + random.nextInt(20), 1 + random.nextInt(4)));
        }
        return parts;
    }

    private static String joined(ArraySpec spec) {
        return spec.indices().mapToObj(Integer::toString).collect(Collectors.joining(" "));
    }
}
