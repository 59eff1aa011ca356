package dev.spur.controller.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.controller.raft.UnknownOutcomeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PatienceTest {
    private final Patience patience = new Patience(Duration.ofSeconds(3));

    @Test
    void whoHasNoAnswerInTimeIsToldThatItMayHaveHappened() {
        var answer = patience.with(new CompletableFuture<String>());

        look(3);
        assertThat(answer).isNotDone();
        look(1);

        assertThat(answer).isCompletedExceptionally();
        assertThat(answer.exceptionNow()).isInstanceOf(UnknownOutcomeException.class);
    }

    @Test
    void eachHasTheTimeOfItsOwn() {
        var first = patience.with(new CompletableFuture<String>());
        look(2);
        var second = patience.with(new CompletableFuture<String>());

        look(2);

        assertThat(first).isCompletedExceptionally();
        assertThat(second).isNotDone();
    }

    @Test
    void anAnswerThatCameStays() {
        var answer = patience.with(new CompletableFuture<String>());
        answer.complete("done");

        look(10);

        assertThat(answer).isCompletedWithValue("done");
    }

    @Test
    void whoIsAnsweredBehindOneWhoIsNotDelaysNobody() {
        var stuck = patience.with(new CompletableFuture<String>());
        var answered = patience.with(new CompletableFuture<String>());
        answered.complete("done");
        var last = patience.with(new CompletableFuture<String>());

        look(4);

        assertThat(stuck).isCompletedExceptionally();
        assertThat(last).isCompletedExceptionally();
    }

    private void look(int times) {
        IntStream.range(0, times).forEach(_ -> patience.look());
    }
}
