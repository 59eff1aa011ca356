package dev.spur.engine.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.spur.engine.state.Command;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CommandCodecTest {
    @Test
    void everyCommandComesBackAsItWas() {
        for (var seed = 0; seed < 200; seed++) {
            var commands = new Generated(seed).oneOfEach(Command.class);

            assertThat(CommandCodec.decode(CommandCodec.encode(commands)))
                    .as("seed %d", seed)
                    .isEqualTo(commands);
        }
    }

    @Test
    void equalCommandsHaveEqualBytes() {
        for (var seed = 0; seed < 200; seed++) {
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
        var gone = new Command.NodeLost(Instant.parse("2026-11-15T21:00:00Z"), "node017");

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
        var random = new Random(1);
        var surprises = new ArrayList<Throwable>();
        for (var round = 0; round < 20_000; round++) {
            var bytes = CommandCodec.encode(new Generated(round % 50).oneOfEach(Command.class));
            for (var i = random.nextInt(4); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }

            var thrown = catchThrowable(() -> CommandCodec.decode(bytes));

            if (thrown != null && !(thrown instanceof CodecException)) {
                surprises.add(thrown);
            }
        }
        assertThat(surprises).isEmpty();
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
