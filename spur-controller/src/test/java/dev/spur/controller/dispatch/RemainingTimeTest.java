package dev.spur.controller.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class RemainingTimeTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

    @Test
    void isNeverLessThanWhatIsLeft() {
        assertThat(RemainingTime.millis(NOW, NOW.plusNanos(59_000_000_001L))).isEqualTo(59_001);
        assertThat(RemainingTime.millis(NOW, NOW.plusMillis(59_999))).isEqualTo(59_999);
    }

    @Test
    void isNothingWhenTheTimeIsOverAndHasAValueOfItsOwnWithoutLimit() {
        assertThat(RemainingTime.millis(NOW, NOW.minusSeconds(3))).isZero();
        assertThat(RemainingTime.millis(NOW, null)).isEqualTo(RemainingTime.UNLIMITED);
    }
}
