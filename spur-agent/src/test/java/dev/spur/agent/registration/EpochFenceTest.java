package dev.spur.agent.registration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EpochFenceTest {
    @TempDir Path directory;

    private EpochFence fence() throws Exception {
        return EpochFence.open(directory.resolve("epoch"));
    }

    @Test
    void ordersOfAnOlderTermAreRefusedForEver() throws Exception {
        var fence = fence();

        assertThat(fence.admits(3)).isTrue();
        assertThat(fence.admits(5)).isTrue();
        assertThat(fence.admits(5)).isTrue();
        assertThat(fence.admits(4)).isFalse();
        assertThat(fence.highest()).isEqualTo(5);
    }

    @Test
    void theHighestTermOutlivesTheAgent() throws Exception {
        fence().admits(7);

        assertThat(fence().highest()).isEqualTo(7);
        assertThat(fence().admits(6)).isFalse();
    }
}
