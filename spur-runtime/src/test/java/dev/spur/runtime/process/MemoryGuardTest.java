package dev.spur.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.runtime.process.MemoryGuard.Reading;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class MemoryGuardTest {
    private static final long MIB = 1 << 20;

    private Reading heap = new Reading(0, 1000 * MIB);
    private Instant now = Instant.EPOCH;
    private int collections;
    private Runnable collecting = () -> {};

    private final MemoryGuard guard =
            new MemoryGuard(
                    () -> heap,
                    () -> {
                        collections++;
                        collecting.run();
                    },
                    () -> now,
                    "nothing more is taken");

    @Test
    void whileMostOfTheHeapIsFreeEverythingIsTaken() {
        heap = new Reading(790 * MIB, 1000 * MIB);

        assertThat(guard.hasRoom()).isTrue();
        assertThat(collections).isZero();
    }

    @Test
    void aHeapThatStaysNearlyFullAfterACollectionTakesNothingMore() {
        heap = new Reading(810 * MIB, 1000 * MIB);

        assertThat(guard.hasRoom()).isFalse();
        assertThat(collections).isEqualTo(1);
    }

    @Test
    void garbageAloneRefusesNobody() {
        heap = new Reading(900 * MIB, 1000 * MIB);
        collecting = () -> heap = new Reading(100 * MIB, 1000 * MIB);

        assertThat(guard.hasRoom()).isTrue();
    }

    @Test
    void aFullHeapIsNotCollectedForEverybodyWhoAsks() {
        heap = new Reading(900 * MIB, 1000 * MIB);

        for (var i = 0; i < 100; i++) {
            guard.hasRoom();
        }
        now = now.plusSeconds(31);
        guard.hasRoom();

        assertThat(collections).isEqualTo(2);
    }

    @Test
    void whenJobsHaveEndedMoreAreTakenAgain() {
        heap = new Reading(900 * MIB, 1000 * MIB);
        assertThat(guard.hasRoom()).isFalse();

        heap = new Reading(300 * MIB, 1000 * MIB);

        assertThat(guard.hasRoom()).isTrue();
    }

    @Test
    void theHeapOfThisProcessIsMeasured() {
        var most = Runtime.getRuntime().maxMemory();

        assertThat(MemoryGuard.heapOfThisProcess().get().most()).isEqualTo(most);
        assertThat(MemoryGuard.ofThisProcess(() -> now, "nothing more is taken").hasRoom())
                .isTrue();
    }
}
