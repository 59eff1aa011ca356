package dev.spur.cli.srun;

import static dev.spur.cli.srun.Interrupts.Meaning.ABORT;
import static dev.spur.cli.srun.Interrupts.Meaning.FORWARD;
import static dev.spur.cli.srun.Interrupts.Meaning.LEAVE;
import static dev.spur.cli.srun.Interrupts.Meaning.SHOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class InterruptsTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Interrupts interrupts = new Interrupts();

    @Test
    void firstShowsSecondWithinSecondAbortsThirdLeaves() {
        assertThat(interrupts.at(0, false, false)).isEqualTo(SHOW);
        assertThat(interrupts.at(SECOND / 2, false, false)).isEqualTo(ABORT);
        assertThat(interrupts.at(SECOND * 9, false, false)).isEqualTo(LEAVE);
    }

    @Test
    void interruptsFarApartOnlyShow() {
        assertThat(interrupts.at(0, false, false)).isEqualTo(SHOW);
        assertThat(interrupts.at(SECOND * 2, false, false)).isEqualTo(SHOW);
    }

    @Test
    void optionsSkipTheFirstStage() {
        assertThat(interrupts.at(0, false, true)).isEqualTo(FORWARD);
        assertThat(new Interrupts().at(0, true, false)).isEqualTo(ABORT);
    }
}
