package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Terminal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class StubMemoryTest {
    /// Else a job would be left to a caller that knows nothing of it.
    @Test
    void commandIsNotGoneOnWithWhenItsCallerGotNothingOfIt() {
        try (var poller = new Poller("test-poll")) {
            var closed = new UnixSocket(Integer.MAX_VALUE, poller);
            closed.release();
            var memory = new StubMemory(greeting(), new FrameWriter(closed));

            assertThatThrownBy(() -> memory.keep(1, new byte[] {1}))
                    .isInstanceOf(CallerGoneException.class);
            memory.suspend();

            assertThat(memory.isSuspended()).isFalse();
        }
    }

    private static Greeting greeting() {
        return new Greeting(
                "srun",
                List.of(),
                Map.of(),
                StandardCharsets.UTF_8,
                "/",
                022,
                0,
                new Terminal.Size(0, 0),
                List.of(),
                false,
                0,
                Map.of(),
                List.of());
    }
}
