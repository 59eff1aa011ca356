package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.model.notation.FileNamePattern.ArrayTask;
import dev.spur.model.notation.FileNamePattern.Values;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileNamePatternTest {
    private static final Values ARRAY_STEP =
            new Values(128, new ArrayTask(120, 17), 3, "node7.site.org", 2, 5, "alice", "sim", 1);
    private static final Values BATCH =
            new Values(128, null, null, "node7", 0, 0, "alice", "sim", 0);

    @ParameterizedTest
    @CsvSource({
        "job%J.out, job128.3.out",
        "job%4j.out, job0128.out",
        "slurm-%A_%a.out, slurm-120_17.out",
        "%4a, 0017",
        "%b, 7",
        "%99j, 0000000128",
        "%N-%n-%t, node7-2-5",
        "%2n%3t%2s%r, 02005031",
        "%u/%x, alice/sim",
        "%5x, sim",
        "100%%, 100%",
        "%%j, %j",
        "%q%5q, %q%5q",
        "50%, 50%",
    })
    void symbolsAreReplacedByTheValuesOfTheStep(String pattern, String name) {
        assertThat(new FileNamePattern(pattern).expand(ARRAY_STEP)).isEqualTo(name);
    }

    @ParameterizedTest
    @CsvSource({"%J, 128", "%A, 128", "%a, 4294967294", "%b, 4", "%s, batch", "%t%n, 00"})
    void batchStepOutsideAnArrayHasItsOwnRules(String pattern, String name) {
        assertThat(new FileNamePattern(pattern).expand(BATCH)).isEqualTo(name);
    }

    @Test
    void whatIsNotKnownBeforeTheStartStaysAsSlurmShowsIt() {
        var waiting =
                new Values(128, new ArrayTask(128, 0xffff_fffe), null, "", 0, 0, "alice", "sim", 0);

        assertThat(new FileNamePattern("x-%a-%N").expand(waiting)).isEqualTo("x-4294967294-%N");
    }

    @Test
    void backslashTurnsReplacementOff() {
        assertThat(new FileNamePattern("a\\\\%j").expand(BATCH)).isEqualTo("a\\%j");
        assertThat(new FileNamePattern("a\\%t").expand(BATCH)).isEqualTo("a%t");
        assertThat(new FileNamePattern("a\\%t").isPerTask()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"out.%t", "out.%3t", "%j-%t"})
    void taskNumberMakesOneFilePerTask(String pattern) {
        assertThat(new FileNamePattern(pattern).isPerTask()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"out.%j", "out.%%t", "out%", "t"})
    void otherNamesAreShared(String pattern) {
        assertThat(new FileNamePattern(pattern).isPerTask()).isFalse();
        assertThat(new FileNamePattern(pattern).isPerNode()).isFalse();
    }

    @Test
    void nodeNameOrNumberMakesOneFilePerNode() {
        assertThat(new FileNamePattern("%N").isPerNode()).isTrue();
        assertThat(new FileNamePattern("%2n").isPerNode()).isTrue();
    }
}
