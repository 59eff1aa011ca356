package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostAndPortTest {
    @ParameterizedTest
    @CsvSource({
        "http://localhost:6817, localhost:6817",
        "https://ctl1:7000/, ctl1:7000",
        "[::]:6817, [::]:6817",
        "::1, [::1]:6817",
        "[fe80::1], [fe80::1]:6817",
        "ctl1, ctl1:6817",
        "10.0.0.1:1, 10.0.0.1:1",
    })
    void addressesAreReadAsPeopleWriteThem(String text, String expected) {
        assertThat(HostAndPort.parse(text, 6817)).hasToString(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":1",
                "a:",
                "a:b",
                "a:70000",
                "a:-1",
                "[::1",
                "[::1]x",
                "ftp://a:1",
                "a b:1",
                "http://u@h:1"
            })
    void whatIsNoAddressIsRefusedWithAnExample(String text) {
        assertThatThrownBy(() -> HostAndPort.parse(text, 6817))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not an address")
                .hasMessageContaining("ctl1:6817");
    }

    @Test
    void commaListNamesSeveralControllers() {
        assertThat(HostAndPort.parseList("http://ctl1:6817,ctl2", 6817))
                .containsExactly(new HostAndPort("ctl1", 6817), new HostAndPort("ctl2", 6817));
    }
}
