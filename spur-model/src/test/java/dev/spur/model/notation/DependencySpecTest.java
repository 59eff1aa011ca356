package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.model.notation.DependencySpec.Join;
import dev.spur.model.notation.DependencySpec.OnJob;
import dev.spur.model.notation.DependencySpec.Singleton;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DependencySpecTest {
    @Test
    void termsKeepTheirOrderAndEachJobIsItsOwnTerm() {
        assertThat(DependencySpec.parse("after:1:2+5,afterok:3_4,singleton"))
                .isEqualTo(
                        new DependencySpec(
                                Join.ALL,
                                List.of(
                                        new OnJob(
                                                DependencySpec.Type.AFTER,
                                                new JobReference.Whole(1),
                                                Duration.ZERO),
                                        new OnJob(
                                                DependencySpec.Type.AFTER,
                                                new JobReference.Whole(2),
                                                Duration.ofMinutes(5)),
                                        new OnJob(
                                                DependencySpec.Type.AFTEROK,
                                                new JobReference.Task(3, 4),
                                                Duration.ZERO),
                                        new Singleton())));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                            afterany:38:39       | afterany:38,afterany:39
                            AfterOK:44           | afterok:44
                            afterok:1?after:2+10 | afterok:1?after:2+10
                            aftercorr:40_*       | aftercorr:40_*
                            123                  | afterany:123
                    123,124              | afterany:123,afterany:124
                    afterok:1,2          | afterok:1,afterany:2
                    afterok:1+5          | afterok:1+5
                    afterok:1_[2-3]:1_3  | afterok:1_2,afterok:1_3
                            singleton            | singleton
                    """)
    void dependencyIsPrintedAsSlurmShowsIt(String text, String shown) {
        assertThat(DependencySpec.parse(text)).hasToString(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "afterok",
                "afterok:",
                "x:1",
                "1:2",
                "afterok:1,",
                "after:1+",
                "after:1+x",
                "singleton:1",
                "afterok:0",
                "afterok:1_[0-1000]",
                "afterok:1,after:2?after:3",
                "expand:1",
                "afterok:99999999999"
            })
    void anythingElseIsRefusedAndNamed(String text) {
        assertThatThrownBy(() -> DependencySpec.parse(text))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("\"" + text + "\" is not a dependency");
    }

    @ParameterizedTest
    @ValueSource(strings = {"123", "123_0", "123_*", "123_[1-3,7]"})
    void jobReferenceIsPrintedAsItIsWritten(String text) {
        assertThat(JobReference.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "abc", "1_", "_1", "1_x", "1_[", "1.0", "-1", "4294967296"})
    void anythingElseIsNotAJobId(String text) {
        assertThatThrownBy(() -> JobReference.parse(text))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("\"" + text + "\" is not a job id");
    }
}
