package dev.spur.cli.submission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.client.ControllerException;
import dev.spur.cli.RememberingInvocation;
import dev.spur.cli.options.OptionTable;
import io.grpc.Status;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LastRequestTest {
    private final RememberingInvocation in = RememberingInvocation.of("salloc");
    private final AtomicInteger tries = new AtomicInteger();

    @Test
    void isRepeatedUntilAControllerAnswersAndTellsOnce() throws Exception {
        send(() -> answersAt(3));

        assertThat(tries).hasValue(3);
        assertThat(in.complained())
                .isEqualTo(
                        "salloc: warning: no controller answers; job 7 is ended as soon as one does\n");
    }

    @Test
    void goesOnBehindTheCommandsBack() throws Exception {
        var answered = new CountDownLatch(1);

        send(() -> {
            answersAt(9);
            answered.countDown();
        });
        answered.await();

        assertThat(tries).hasValue(9);
    }

    @Test
    void aRefusalIsAnAnswer() throws Exception {
        send(() -> {
            tries.incrementAndGet();
            throw failure(Status.NOT_FOUND);
        });

        assertThat(tries).hasValue(1);
        assertThat(in.complained()).isEmpty();
    }

    @Test
    void isSentAlthoughTheCommandIsBeingEnded() throws Exception {
        Thread.currentThread().interrupt();

        send(() -> {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            answersAt(1);
        });

        assertThat(tries).hasValue(1);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void isNotBrokenOffByACallerWhoDiesMeanwhile() throws Exception {
        var command = Thread.currentThread();

        send(() -> {
            command.interrupt();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            answersAt(1);
        });

        assertThat(tries).hasValue(1);
        assertThat(Thread.interrupted()).isTrue();
    }

    private void send(Runnable request) throws Exception {
        OptionTable.of("salloc")
                .options(JobOptions.QUIET, JobOptions.VERBOSE)
                .run(
                        in,
                        arguments -> {
                            LastRequest.send(Voice.of(in, arguments), "job 7", request, () -> true);
                            return 0;
                        });
    }

    private void answersAt(int number) {
        if (tries.incrementAndGet() < number) {
            throw failure(Status.UNAVAILABLE);
        }
    }

    private static ControllerException failure(Status status) {
        return ControllerException.of(status.asRuntimeException());
    }
}
