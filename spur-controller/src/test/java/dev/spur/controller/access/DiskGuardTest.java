package dev.spur.controller.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskGuardTest {
    private long free = 1000;
    private long reserve = 100;
    private int asked;
    private final DiskGuard guard =
            new DiskGuard(
                    Path.of("/state"),
                    () -> {
                        asked++;
                        return free;
                    },
                    () -> reserve);

    @Test
    void jobsAreTakenWhileMoreThanTheReserveIsFree() {
        free = 100;

        assertThat(takesJobs()).isTrue();
    }

    @Test
    void belowTheReserveTheyAreRefusedInClearWords() {
        free = 99;
        guard.look();

        assertThatThrownBy(guard::check)
                .isInstanceOfSatisfying(
                        SpurException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL))
                .hasMessageStartingWith("the controller's disk is full");
    }

    @Test
    void theyAreTakenAgainOnlyWhenThereIsClearlyMoreRoom() {
        free = 99;
        guard.look();

        free = 124;
        assertThat(takesJobs()).isFalse();
        free = 125;
        assertThat(takesJobs()).isTrue();
        free = 101;
        assertThat(takesJobs()).isTrue();
    }

    @Test
    void aReserveThatIsLoweredTakesEffectAtTheNextLook() {
        free = 50;
        guard.look();

        reserve = 10;

        assertThat(takesJobs()).isTrue();
    }

    /// It may be slow to answer, and the thread of a submission serves others too.
    @Test
    void theFileSystemIsNotAskedForASubmission() {
        guard.look();

        for (var submission = 0; submission < 1000; submission++) {
            guard.check();
        }

        assertThat(asked).isEqualTo(1);
    }

    @Test
    void theDiskOfADirectoryIsLookedAt(@TempDir Path directory) {
        assertThat(takesJobs(DiskGuard.of(directory, () -> 1))).isTrue();
        assertThat(takesJobs(DiskGuard.of(directory, () -> Long.MAX_VALUE / 2))).isFalse();
    }

    private boolean takesJobs() {
        return takesJobs(guard);
    }

    private static boolean takesJobs(DiskGuard guard) {
        guard.look();
        return catchThrowable(guard::check) == null;
    }
}
