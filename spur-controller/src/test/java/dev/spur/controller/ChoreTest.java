package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class ChoreTest {
    private final Queue<Runnable> others = new ArrayDeque<>();
    private int rounds;
    private final Chore chore = new Chore("counting", () -> rounds++, others::add);

    @Test
    void theTimerDoesNotWaitForIt() {
        chore.run();
        assertThat(rounds).isZero();

        others.remove().run();

        assertThat(rounds).isEqualTo(1);
    }

    @Test
    void noRoundBeginsWhileOneIsUnderWay() {
        chore.run();
        chore.run();
        assertThat(others).hasSize(1);

        others.remove().run();
        chore.run();

        assertThat(others).hasSize(1);
    }

    @Test
    void aRoundThatFailsIsNotTheLast() {
        var failing =
                new Chore(
                        "failing",
                        () -> {
                            rounds++;
                            throw new IllegalStateException("the disk is gone");
                        },
                        Runnable::run);

        failing.run();
        failing.run();

        assertThat(rounds).isEqualTo(2);
    }

    @Test
    void aControllerThatStopsBeginsNone() {
        var stopping =
                new Chore(
                        "late",
                        () -> rounds++,
                        _ -> {
                            throw new RejectedExecutionException();
                        });

        assertThatCode(stopping::run).doesNotThrowAnyException();
        assertThat(rounds).isZero();
    }
}
