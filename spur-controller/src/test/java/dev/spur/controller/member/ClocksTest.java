package dev.spur.controller.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ClocksTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    private Instant wall = NOON;
    private long nanos = 1_000;
    private final Clocks clocks = new Clocks(() -> wall, () -> nanos);

    @Test
    void aClockThatAgreesWithTheOthersIsRight() {
        clocks.heard("ctl2", NOON.plusMillis(20));
        clocks.heard("ctl3", NOON.minusMillis(30));

        assertThat(clocks.error()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void theOneInTheMiddleCounts() {
        clocks.heard("ctl2", NOON.plusSeconds(100));
        clocks.heard("ctl3", NOON.plusSeconds(101));

        assertThat(clocks.error()).isEqualTo(Duration.ofSeconds(-100));
    }

    @Test
    void oneOtherThatIsWrongDoesNotMakeUsWrong() {
        clocks.heard("ctl2", NOON.plusSeconds(5_000));
        clocks.heard("ctl3", NOON);

        assertThat(clocks.error()).isZero();
    }

    @Test
    void ofTwoClocksNobodyKnowsWhichIsWrong() {
        clocks.heard("ctl2", NOON.plusSeconds(5_000));

        assertThat(clocks.error()).isZero();
    }

    @Test
    void aStepOfTheOwnClockShowsBeforeAnybodyIsAskedAgain() {
        clocks.heard("ctl2", NOON);
        clocks.heard("ctl3", NOON);
        pass(Duration.ofSeconds(3));

        wall = wall.plusSeconds(60);

        assertThat(clocks.error()).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void timeThatPassedForAllIsNoError() {
        clocks.heard("ctl2", NOON);
        clocks.heard("ctl3", NOON);

        pass(Duration.ofMinutes(5));

        assertThat(clocks.error()).isZero();
    }

    @Test
    void whoWasNotHeardOfForLongHasNoSay() {
        clocks.heard("ctl2", NOON.plusSeconds(100));
        clocks.heard("ctl3", NOON.plusSeconds(100));

        pass(Duration.ofMinutes(11));

        assertThat(clocks.error()).isZero();
    }

    private void pass(Duration time) {
        wall = wall.plus(time);
        nanos += time.toNanos();
    }
}
