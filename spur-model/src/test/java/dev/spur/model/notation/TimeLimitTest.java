package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeLimitTest {
    @ParameterizedTest
    @CsvSource({
        "30, 30",
        "30:00, 30",
        "30:01, 31",
        "0:01, 1",
        "1:30:00, 90",
        "01:00:30, 61",
        "100:00:00, 6000",
        "1-, 1440",
        "1-0, 1440",
        "1-12, 2160",
        "1-12:30, 2190",
        "1-12:30:01, 2191",
        "0-0:5, 5",
    })
    void limitIsReadInMinutesAndSecondsRoundUp(String text, int minutes) {
        assertThat(TimeLimit.parse(text)).isEqualTo(TimeLimit.ofMinutes(minutes));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0", "-1", "INFINITE", "infinite", "UNLIMITED", "unlimited", "0:00", "0-0"})
    void zeroAndTheWordsMeanNoLimit(String text) {
        assertThat(TimeLimit.parse(text)).isEqualTo(TimeLimit.UNLIMITED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "notatime",
                "1h",
                "1:2:3:4",
                "1-2-3",
                "-5",
                "1:",
                ":5",
                "1::2",
                "1-:5",
                " 5",
                "1.5",
                "+5",
                "99999999999",
                "1-2:3:4:5",
                "١"
            })
    void anythingElseIsAnErrorAndNotUnlimited(String text) {
        assertThatThrownBy(() -> TimeLimit.parse(text))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("\"" + text + "\" is not a time limit")
                .hasMessageContaining("days-hours:minutes:seconds");
    }

    @ParameterizedTest
    @CsvSource({
        "30, 00:30:00, 30:00, 30:00",
        "60, 01:00:00, 1:00:00, 1:00:00",
        "1440, 1-00:00:00, 1-00:00:00, 1-00:00:00",
        "UNLIMITED, UNLIMITED, UNLIMITED, infinite",
    })
    void limitIsPrintedAsEachCommandPrintsIt(
            String text, String scontrol, String squeue, String sinfo) {
        var limit = TimeLimit.parse(text);

        assertThat(limit).hasToString(scontrol);
        assertThat(limit.brief()).isEqualTo(squeue);
        assertThat(limit.inSinfo()).isEqualTo(sinfo);
    }

    @Test
    void noLimitIsLongerThanAnyLimit() {
        assertThat(TimeLimit.UNLIMITED).isGreaterThan(TimeLimit.ofMinutes(Integer.MAX_VALUE));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0:00, 00:00:00",
        "5, 0:05, 00:00:05",
        "65, 1:05, 00:01:05",
        "3723, 1:02:03, 01:02:03",
        "183845, 2-03:04:05, 2-03:04:05",
        "-3, 0:00, 00:00:00",
    })
    void elapsedTimeIsPrintedBrieflyOrWithAllItsParts(long seconds, String brief, String padded) {
        assertThat(Durations.brief(Duration.ofSeconds(seconds))).isEqualTo(brief);
        assertThat(Durations.padded(Duration.ofSeconds(seconds))).isEqualTo(padded);
    }
}
