package dev.spur.engine.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.spur.engine.state.Command;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CommandCodecTest {
    @Test
    void everyCommandComesBackAsItWas() {
        for (var seed = 0; seed < 50; seed++) {
            var commands = new Generated(seed).oneOfEach(Command.class);

            assertThat(CommandCodec.decode(CommandCodec.encode(commands)))
                    .as("seed %d", seed)
                    .isEqualTo(commands);
        }
    }

    @Test
    void equalCommandsHaveEqualBytes() {
        for (var seed = 0; seed < 50; seed++) {
            var commands = new Generated(seed).oneOfEach(Command.class);
            var equal = new Generated(seed).oneOfEach(Command.class);

            assertThat(CommandCodec.encode(equal)).isEqualTo(CommandCodec.encode(commands));
        }
    }

    @Test
    void whatWasReadIsWrittenAsItWas() {
        var bytes = CommandCodec.encode(new Generated(7).oneOfEach(Command.class));

        assertThat(CommandCodec.encode(CommandCodec.decode(bytes))).isEqualTo(bytes);
    }

    @Test
    void smallCommandTakesFewBytes() {
        var gone = new Command.NodeResponded(Instant.parse("2026-11-15T21:00:00Z"), "node017");

        assertThat(CommandCodec.encode(List.of(gone))).hasSizeLessThan(20);
    }

    @Test
    void everyCutIsRefused() {
        var bytes = CommandCodec.encode(new Generated(1).oneOfEach(Command.class));

        for (var length = 0; length < bytes.length; length++) {
            var cut = Arrays.copyOf(bytes, length);

            assertThat(catchThrowable(() -> CommandCodec.decode(cut)))
                    .as("%d of %d bytes", length, bytes.length)
                    .isInstanceOf(CodecException.class);
        }
    }

    @Test
    void damageIsRefusedOrGivesCommandsButNothingElse() {
        var bytes = CommandCodec.encode(new Generated(1).oneOfEach(Command.class));
        var random = new Random(1);
        for (var round = 0; round < 3000; round++) {
            var damaged = bytes.clone();
            for (var i = random.nextInt(4); i >= 0; i--) {
                damaged[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }

            var thrown = catchThrowable(() -> CommandCodec.decode(damaged));

            assertThat(thrown == null || thrown instanceof CodecException)
                    .as("round %d: %s", round, thrown)
                    .isTrue();
        }
    }

    @Test
    void bytesBehindTheCommandsAreRefused() {
        var bytes = CommandCodec.encode(List.of(new Command.AdvanceTime(Instant.EPOCH)));

        assertThatThrownBy(() -> CommandCodec.decode(Arrays.copyOf(bytes, bytes.length + 1)))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("more than the commands");
    }

    @Test
    void otherFormatIsRefusedByItsNumber() {
        assertThatThrownBy(() -> CommandCodec.decode(new byte[] {9, 0}))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("commands of format 9");
    }
}
