package dev.spur.cli.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessSessionTest {
    @Test
    void sessionStandsBehindANameThatMayHoldAnything() {
        assertThat(ProcessSession.session("71 (a) b (c) S 70 71 12 34816 90 4194304 1 2 3\n"))
                .isEqualTo(12);
    }

    @Test
    void processThatIsGoneHasNone() {
        assertThat(ProcessSession.of(-1)).isZero();
    }
}
