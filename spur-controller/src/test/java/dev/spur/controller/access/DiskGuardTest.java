package dev.spur.controller.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskGuardTest {
    private long free = 1000;
    private long reserve = 100;
    private final DiskGuard guard = new DiskGuard(Path.of("/state"), () -> free, () -> reserve);

    @Test
    void jobsAreTakenWhileMoreThanTheReserveIsFree() {
        free = 100;

        assertThat(guard.hasRoom()).isTrue();
    }

    @Test
    void belowTheReserveTheyAreRefusedInClearWords() {
        free = 99;

        assertThatThrownBy(guard::check)
                .isInstanceOfSatisfying(
                        SpurException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL))
                .hasMessageStartingWith("the controller's disk is full");
    }

    @Test
    void theyAreTakenAgainOnlyWhenThereIsClearlyMoreRoom() {
        free = 99;
        guard.hasRoom();

        free = 124;
        assertThat(guard.hasRoom()).isFalse();
        free = 125;
        assertThat(guard.hasRoom()).isTrue();
        free = 101;
        assertThat(guard.hasRoom()).isTrue();
    }

    @Test
    void aReserveThatIsLoweredTakesEffectAtOnce() {
        free = 50;
        guard.hasRoom();

        reserve = 10;

        assertThat(guard.hasRoom()).isTrue();
    }

    @Test
    void theDiskOfADirectoryIsLookedAt(@TempDir Path directory) {
        assertThat(DiskGuard.of(directory, () -> 1).hasRoom()).isTrue();
        assertThat(DiskGuard.of(directory, () -> Long.MAX_VALUE / 2).hasRoom()).isFalse();
    }
}
