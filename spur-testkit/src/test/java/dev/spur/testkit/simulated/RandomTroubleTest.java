package dev.spur.testkit.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.runtime.config.LoggingConfig;
import dev.spur.runtime.log.Logging;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A few seeds; `dev/simulate` runs as many as you like.
class RandomTroubleTest {
    private static final int FIRST_SEED = 26;
    private static final int SEEDS = 3;
    private static final int EVENTS = 200;

    /// Failures on purpose are no news.
    @BeforeAll
    static void quiet() {
        Logging.start(
                new LoggingConfig(LoggingConfig.Level.ERROR, LoggingConfig.Format.TEXT, null));
    }

    @Test
    void whateverFailsNothingAcknowledgedIsLostNothingRunsTwiceOrdersArriveAndEveryJobEnds() {
        for (var seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try (var life = new RandomLife(seed)) {
                life.happen(EVENTS);
                life.calmDown();
                assertThat(life.jobs()).isGreaterThan(10);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "seed %d: %s%nagain: dev/simulate --seed %d --events %d"
                                .formatted(seed, e.getMessage(), seed, EVENTS),
                        e);
            }
        }
    }

    @Test
    void aSeedThatRunsAgainDoesTheSameAgain() {
        assertThat(fingerprint()).isEqualTo(fingerprint());
    }

    private static long fingerprint() {
        try (var life = new RandomLife(FIRST_SEED)) {
            life.happen(EVENTS);
            return life.fingerprint();
        }
    }
}
