package dev.spur.cli.submission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LoginEnvironmentTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "not given",
            value = {
                "not given | false",
                "ALL | false",
                "ALL,A=1 | false",
                "NIL | false",
                "NONE | true",
                "A=1 | true",
                "PATH,HOME | true",
            })
    void whatIsNotTakenFromTheCallerComesFromALogin(String export, boolean loads) {
        assertThat(ExportedEnvironment.loadsLoginEnvironment(export)).isEqualTo(loads);
    }
}
