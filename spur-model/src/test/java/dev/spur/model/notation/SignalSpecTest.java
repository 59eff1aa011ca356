package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SignalSpecTest {
    @ParameterizedTest
    @CsvSource({
        "USR1, USR1",
        "sigusr1@120, USR1@120",
        "10@5, USR1@5",
        "B:TERM, B:TERM",
        "b:sigint@0, B:INT@0",
        "R:HUP@300, R:HUP@300",
        "BR:40@1, RB:40@1",
    })
    void requestIsReadWithItsDefaults(String text, String normal) {
        assertThat(SignalSpec.parse(text)).hasToString(normal);
    }

    @Test
    void withoutTimeTheSignalComesAMinuteBeforeTheEndToTheStepsOnly() {
        assertThat(SignalSpec.parse("USR2"))
                .isEqualTo(new SignalSpec(Signal.USR2, Duration.ofSeconds(60), false, false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "NOSUCH",
                "0",
                "65",
                "X:USR1",
                "USR1@",
                "USR1@-1",
                "USR1@65536",
                "B:",
                ":USR1"
            })
    void anythingElseIsRefusedAndNamed(String text) {
        assertThatThrownBy(() -> SignalSpec.parse(text))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("\"" + text + "\" is not a signal request");
    }

    @ParameterizedTest
    @CsvSource({
        "1, HUP, Hangup",
        "9, KILL, Killed",
        "15, TERM, Terminated",
        "11, SEGV, Segmentation fault",
        "31, SYS, Bad system call",
        "34, 34, Real-time signal 0",
        "64, 64, Real-time signal 30",
    })
    void signalHasTheNumberNameAndDescriptionOfLinux(int number, String name, String description) {
        var signal = new Signal(number);

        assertThat(signal.name()).isEqualTo(name);
        assertThat(signal.description()).isEqualTo(description);
        assertThat(Signal.parse(name)).isEqualTo(signal);
    }
}
