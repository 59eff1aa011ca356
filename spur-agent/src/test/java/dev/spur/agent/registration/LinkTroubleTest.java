package dev.spur.agent.registration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.agent.registration.LinkTrouble.Line;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class LinkTroubleTest {
    private static final Instant START = Instant.parse("2026-01-05T08:00:00Z");

    private final LinkTrouble trouble = new LinkTrouble(START);

    @Test
    void aControllerThatIsNotUpYetIsWaitedForWithoutWarning() {
        assertThat(trouble.failed("refused", START)).isEqualTo(Line.WAITING);
        assertThat(trouble.failed("refused", START.plusSeconds(10))).isEqualTo(Line.NONE);
    }

    @Test
    void oneThatRefusesThisNodeIsWarnedOfAtOnceAndOnce() {
        assertThat(trouble.refused("no")).isEqualTo(Line.WARNING);
        assertThat(trouble.refused("no")).isEqualTo(Line.NONE);
    }

    @Test
    void oneThatStaysAwayIsWarnedOfOnce() {
        assertThat(trouble.failed("refused", START.plusSeconds(21))).isEqualTo(Line.WARNING);
        assertThat(trouble.failed("refused", START.plusSeconds(30))).isEqualTo(Line.NONE);
        assertThat(trouble.failed("bad certificate", START.plusSeconds(31)))
                .isEqualTo(Line.WARNING);
    }

    @Test
    void severalThatFailInTurnAreWarnedOfOnceEach() {
        var later = START.plusSeconds(30);

        assertThat(trouble.failed("refused", later)).isEqualTo(Line.WARNING);
        assertThat(trouble.failed("no leader", later)).isEqualTo(Line.WARNING);
        assertThat(trouble.failed("refused", later)).isEqualTo(Line.NONE);
        assertThat(trouble.failed("no leader", later)).isEqualTo(Line.NONE);
    }

    @Test
    void oneThatWasThereAndIsGoneIsWarnedOfAtOnceAndAgainAfterItsReturn() {
        trouble.connected();
        assertThat(trouble.failed("refused", START.plusSeconds(5))).isEqualTo(Line.WARNING);
        assertThat(trouble.connected()).isTrue();
        assertThat(trouble.failed("refused", START.plusSeconds(9))).isEqualTo(Line.WARNING);
    }
}
