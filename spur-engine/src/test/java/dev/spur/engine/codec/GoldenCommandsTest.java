package dev.spur.engine.codec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GoldenCommandsTest {
    @Test
    void commandsOfTheFirstReleaseMeanWhatTheyMeant() {
        assertThat(CommandCodec.decode(Golden.bytes("commands-1.bin")).stream().map(Described::of))
                .containsExactlyElementsOf(Golden.lines("commands-1.txt"));
    }
}
