package dev.spur.agent.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.agent.step.SupervisedStep.StreamPosition;
import org.junit.jupiter.api.Test;

final class OutputWindowTest {
    private final OutputWindow window = new OutputWindow();

    private static StreamPosition at(long offset) {
        return new StreamPosition(0, 1, offset);
    }

    @Test
    void whatACallerHasGivenCreditForMayGo() {
        assertThat(window.credit(0)).isEmpty();
        assertThat(window.sent(at(0), 10)).isEmpty();
        assertThat(window.sent(at(10), 10)).isEmpty();

        assertThat(window.credit(15)).containsExactly(at(10));
        assertThat(window.credit(5)).containsExactly(at(20));
    }

    @Test
    void aCallerThatNeverGivesCreditHoldsTheLastPiecesOnly() {
        window.sent(at(0), 10);
        window.sent(at(10), 10);

        assertThat(window.sent(at(20), 10)).containsExactly(at(10));
        assertThat(window.sent(at(30), 10)).containsExactly(at(20));
    }

    @Test
    void creditThatComesLateDoesNotCountTwice() {
        window.sent(at(0), 10);
        window.sent(at(10), 10);
        window.sent(at(20), 10); // lets the first go

        assertThat(window.credit(10)).isEmpty();
        assertThat(window.credit(10)).containsExactly(at(20));
    }
}
