package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.cli.Failure;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the door holds of answers, such as a long queue, for all who look at it at the same time.
@Timeout(60)
final class AnswerMemoryTest {
    private static final long EVE = 1004;
    private static final long ALICE = 1002;

    private final CallerQuotas impatient = quotas(Duration.ofMillis(1));
    private final CallerQuotas patient = quotas(Duration.ofMinutes(1));

    @Test
    void commandsOfOneUserTogetherHoldNoMoreThanTheirPart() {
        command(impatient, EVE).hold(60);
        var second = command(impatient, EVE);
        second.hold(40);

        assertThatThrownBy(() -> second.hold(1))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("need too much memory");
        assertThatCode(() -> command(impatient, ALICE).hold(100)).doesNotThrowAnyException();
    }

    @Test
    void theOldestCommandHasWhatItNeeds() {
        var oldest = command(impatient, EVE);
        oldest.hold(90);
        command(impatient, EVE).hold(10);

        assertThatCode(() -> oldest.hold(10_000)).doesNotThrowAnyException();
    }

    @Test
    void allUsersTogetherHoldNoMoreThanTheDoorHas() {
        command(impatient, 1).hold(100);
        command(impatient, 2).hold(100);

        assertThatThrownBy(() -> command(impatient, 3).hold(60)).isInstanceOf(Failure.class);
    }

    @Test
    void commandsWaitForTheirTurn() {
        var first = command(patient, EVE);
        first.hold(100);
        var waiting = CompletableFuture.runAsync(() -> command(patient, EVE).hold(100));

        first.close();

        assertThat(waiting).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void whatIsAskedNextTakesThePlaceOfTheFormerAnswer() {
        command(impatient, EVE).hold(10);
        var repeating = command(impatient, EVE);
        for (var i = 0; i < 1_000; i++) {
            repeating.ask();
            repeating.hold(80);
        }

        assertThatThrownBy(() -> repeating.hold(80)).isInstanceOf(Failure.class);
    }

    /// A thread of the command may still be answered when the command has ended.
    @Test
    void whatACommandIsAnsweredAfterItsEndIsOnNobodysAccount() {
        var ended = command(impatient, EVE);
        var other = command(impatient, EVE);
        ended.close();

        ended.hold(100);

        command(impatient, EVE).hold(60);
        assertThatCode(() -> other.hold(40)).doesNotThrowAnyException();
    }

    private static CallerQuotas.Permit command(CallerQuotas quotas, long uid) {
        return quotas.enter(uid).orElseThrow();
    }

    private static CallerQuotas quotas(Duration patience) {
        var second = Duration.ofSeconds(1);
        return new CallerQuotas(
                new DoorLimits(9, 99, 1, 1, 100, 250, patience, second, second), () -> true);
    }
}
