package dev.spur.engine.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/// What releases wrote means what it meant.
class GoldenTest {
    @Test
    void commandsOfTheFirstRelease() {
        var commands = CommandCodec.decode(Golden.bytes("commands-3.bin"));

        assertThat(commands.stream().map(Described::of))
                .containsExactlyElementsOf(Golden.lines("commands-3.txt"));
    }

    @Test
    void stateOfTheFirstRelease() {
        var parts = new ArrayList<String>();

        new FrameReader<>(
                        new ByteArrayInputStream(Golden.bytes("state-3.bin"))::read,
                        SnapshotCodec.Workers.NONE)
                .readAll(part -> parts.add(Described.of(part)));

        assertThat(parts).containsExactlyElementsOf(Golden.lines("state-3.txt"));
    }
}
