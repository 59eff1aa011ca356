package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MailTypesTest {
    @ParameterizedTest
    @CsvSource({
        "'ALL', 'INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT'",
        "'end,BEGIN', 'BEGIN,END'",
        "'TIME_LIMIT,TIME_LIMIT_90', 'TIME_LIMIT_90,TIME_LIMIT'",
        "'END,ARRAY_TASKS', 'ARRAY_TASKS,END'",
        "'none', 'NONE'",
        "'NONE,END', 'NONE'",
    })
    void typesAreListedInSlurmsOrder(String text, String listed) {
        assertThat(MailTypes.parse(text)).hasToString(listed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "BEGIN,x"})
    void unknownTypeIsRefused(String text) {
        assertThatThrownBy(() -> MailTypes.parse(text)).isInstanceOf(NotationException.class);
    }

    @ParameterizedTest
    @CsvSource({"a, APPEND", "Append, APPEND", "t, TRUNCATE", "trunc, TRUNCATE"})
    void openModeIsAWordOrItsBeginning(String text, OpenMode mode) {
        assertThat(OpenMode.parse(text)).isEqualTo(mode);
    }
}
