package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BeginTimeTest {
    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final Instant NOW = Instant.parse("2026-11-15T21:16:43.5Z");

    /// What `sbatch --begin` of Slurm 22.05 made of them at that moment (elevenses came later).
    @ParameterizedTest
    @CsvSource({
        "now, 2026-11-15T21:16:43",
        "NOW, 2026-11-15T21:16:43",
        "now+60, 2026-11-15T21:17:43",
        "now + 1, 2026-11-15T21:16:44",
        "now-5, 2026-11-15T21:16:38",
        "now+1hour, 2026-11-15T22:16:43",
        "now+5 hours, 2026-11-16T02:16:43",
        "now+3minutes, 2026-11-15T21:19:43",
        "now+1day, 2026-11-16T21:16:43",
        "now+1weeks, 2026-11-22T21:16:43",
        "16:00, 2026-11-16T16:00:00",
        "21:10, 2026-11-16T21:10:00",
        "21:25, 2026-11-15T21:25:00",
        "23:59:59, 2026-11-15T23:59:59",
        "4:30, 2026-11-16T04:30:00",
        "1:30PM, 2026-11-16T13:30:00",
        "1:30 pm, 2026-11-16T13:30:00",
        "12:30pm, 2026-11-16T12:30:00",
        "12:30am, 2026-11-16T00:30:00",
        "midnight, 2026-11-16T00:00:00",
        "elevenses, 2026-11-16T11:00:00",
        "noon, 2026-11-16T12:00:00",
        "fika, 2026-11-16T15:00:00",
        "teatime, 2026-11-16T16:00:00",
        "today, 2026-11-15T00:00:00",
        "tomorrow, 2026-11-16T00:00:00",
        "noon tomorrow, 2026-11-16T12:00:00",
        "noon-tomorrow, 2026-11-16T12:00:00",
        "noon-today, 2026-11-15T12:00:00",
        "tomorrow noon, 2026-11-16T12:00:00",
        "tomorrow-12:00, 2026-11-16T12:00:00",
        "tomorrowT12:00, 2026-11-16T12:00:00",
        "12:00tomorrow, 2026-11-16T12:00:00",
        "16:00 today, 2026-11-15T16:00:00",
        "010127, 2027-01-01T00:00:00",
        "010127 12:00, 2027-01-01T12:00:00",
        "0101, 2027-01-01T00:00:00",
        "01/01, 2027-01-01T00:00:00",
        "12/31, 2026-12-31T00:00:00",
        "11/15, 2027-11-15T00:00:00",
        "11/15 23:00, 2026-11-15T23:00:00",
        "01/02/27, 2027-01-02T00:00:00",
        "01.02.27, 2027-01-02T00:00:00",
        "01/02/27-12:00, 2027-01-02T12:00:00",
        "12:00 01/02/27, 2027-01-02T12:00:00",
        "2020-01-01, 2020-01-01T00:00:00",
        "2027-01-01, 2027-01-01T00:00:00",
        "2027-01-01T12:00, 2027-01-01T12:00:00",
        "2027-01-01T12:00:30, 2027-01-01T12:00:30",
        "2027-01-01 12:00, 2027-01-01T12:00:00",
    })
    void timeIsReadAsSlurmReadsIt(String text, String expected) {
        assertThat(Timestamps.format(BeginTime.parse(text, NOW, UTC), UTC)).isEqualTo(expected);
    }

    @Test
    void timeOfDayIsLocalToTheCaller() {
        var berlin = ZoneId.of("Europe/Berlin");

        assertThat(BeginTime.parse("22:30", NOW, berlin)).isEqualTo("2026-11-15T21:30:00Z");
        assertThat(Timestamps.format(NOW, berlin)).isEqualTo("2026-11-15T22:16:43");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "soon",
                "1630",
                "4pm",
                "now+1h",
                "now+",
                "now+-5",
                "now tomorrow",
                "13:00pm",
                "25:00",
                "12:60",
                "12:3",
                "04:30:5",
                "13/01",
                "01/32",
                "01/02/2027",
                "2027-1-1",
                "2027-13-01",
                "2027-02-30",
                "teatime+1hour",
                "27-01-01"
            })
    void anythingElseIsRefusedAndNamed(String text) {
        assertThatThrownBy(() -> BeginTime.parse(text, NOW, UTC))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("\"" + text + "\" is not a time");
    }
}
