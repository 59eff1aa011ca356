package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.ProcessSignal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Signals, and the end of a caller.
@Timeout(60)
final class DoorSignalsTest extends DoorFixture {
    @Test
    void cancelsTheToolWhenTheStubIsKilled() throws Exception {
        var process = StubProgram.command(socket, List.of("$spur", "wait")).start();
        started.await();

        process.destroyForcibly();

        assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void signalsHaveTheirUsualEffectUntilTheToolListens() throws Exception {
        var process = StubProgram.command(socket, List.of("$spur", "wait")).start();
        started.await();

        process.destroy(); // SIGTERM

        assertThat(process.waitFor()).isEqualTo(128 + 15);
    }

    @Test
    void ignoresWhatItsCallerIgnoresAlsoInsideAJob() throws Exception {
        var go = new CountDownLatch(1);
        serve(
                "hold",
                in -> {
                    started.countDown();
                    go.await();
                    return 4;
                });
        var process =
                StubProgram.command(
                                socket,
                                List.of("sh", "-c", "trap '' TERM; SLURM_JOB_ID=1 exec $spur hold"))
                        .start();
        started.await();

        process.destroy(); // SIGTERM

        assertThat(process.waitFor(3, TimeUnit.SECONDS)).isFalse();
        go.countDown();
        assertThat(process.waitFor()).isEqualTo(4);
    }

    @Test
    void forwardsSignalsToAToolThatListens() throws Exception {
        var seen = new LinkedBlockingQueue<ProcessSignal>();
        serve(
                "listen",
                in -> {
                    in.signals().listen(Set.of(ProcessSignal.INT, ProcessSignal.TERM), seen::add);
                    in.out().println("ready");
                    in.out().flush();
                    return seen.take() == ProcessSignal.INT && seen.take() == ProcessSignal.TERM
                            ? 5
                            : 6;
                });

        var process = StubProgram.command(socket, List.of("$spur", "listen")).start();
        process.getInputStream().readNBytes("ready\n".length());
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
        while (!seen.isEmpty()) {
            Thread.onSpinWait();
        }
        process.destroy();

        assertThat(process.waitFor()).isEqualTo(5);
    }
}
