package dev.spur.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlagsTest {
    private static final Flag LABEL = Flag.value("label", "KEY=VALUE", "a label of this node");
    private static final List<Flag> KNOWN =
            List.of(Flag.CONFIG, Flag.LISTEN, Flag.STATE_DIR, LABEL, Flag.FOREGROUND, Flag.VERSION);

    @ParameterizedTest
    @CsvSource({"-f /x", "--config /x", "--config=/x", "-f/x", "-Df /x", "-f /y -f /x"})
    void valueIsGivenInAnyOfTheUsualWays(String line) {
        assertThat(Flags.parse(KNOWN, line.split(" ")).value(Flag.CONFIG)).contains("/x");
    }

    @Test
    void lettersWithoutValuesStandTogether() {
        var flags = Flags.parse(KNOWN, "-DV");

        assertThat(flags.has(Flag.FOREGROUND)).isTrue();
        assertThat(flags.has(Flag.VERSION)).isTrue();
        assertThat(flags.has(Flag.CONFIG)).isFalse();
    }

    @Test
    void repeatedFlagKeepsAllItsValues() {
        assertThat(Flags.parse(KNOWN, "--label", "a=1", "--label=b=2").values(LABEL))
                .containsExactly("a=1", "b=2");
    }

    @ParameterizedTest
    @CsvSource({
        "--lisen x, 'unknown flag \"--lisen\". Did you mean \"--listen\"?'",
        "--bogus, 'unknown flag \"--bogus\". See --help.'",
        "-x, 'unknown flag \"-x\". See --help.'",
        "--config, '--config needs a value: --config PATH'",
        "--foreground=1, '--foreground takes no value'",
        "start, 'unexpected \"start\": only flags are understood'",
    })
    void whatCannotBeUnderstoodIsExplained(String line, String message) {
        assertThatThrownBy(() -> Flags.parse(KNOWN, line.split(" ")))
                .isInstanceOf(UsageException.class)
                .hasMessage(message);
    }
}
