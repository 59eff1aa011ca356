package dev.spur.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HeapKeeperTest {
    private static final long MIB = 1 << 20;

    private HeapKeeper.Reading reading = reading(0, 0, 0);
    private int collections;
    private final HeapKeeper keeper = new HeapKeeper(() -> reading, () -> collections++);

    @Test
    void collectsWhatHasGrownByHalf() {
        assertThat(collectsAt(reading(100, 149, 100))).isFalse();
        assertThat(collectsAt(reading(100, 151, 100))).isTrue();
    }

    @Test
    void leavesASmallHeapAlone() {
        assertThat(collectsAt(reading(10, 60, 5))).isFalse();
    }

    @Test
    void collectsAFirstTimeWhateverItTakes() {
        assertThat(collectsAt(reading(0, 70, 0))).isTrue();
    }

    @Test
    void stopsNobodyForLong() {
        assertThat(collectsAt(reading(100, 200, 140))).isTrue();
        assertThat(collectsAt(reading(100, 200, 160))).isFalse();
    }

    private boolean collectsAt(HeapKeeper.Reading now) {
        reading = now;
        var before = collections;
        keeper.look();
        return collections > before;
    }

    private static HeapKeeper.Reading reading(long liveMib, long usedMib, long pauseMillis) {
        return new HeapKeeper.Reading(liveMib * MIB, usedMib * MIB, Duration.ofMillis(pauseMillis));
    }
}
