package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.CallerGoneException;
import dev.spur.cli.ProcessSignal;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a command prints and reads, through the stub.
@Timeout(60)
final class DoorStreamsTest extends DoorFixture {
    @Test
    void keepsLargeOutputIntactForASlowReader() throws Exception {
        var content = new byte[10 * MEBIBYTE];
        new Random(1).nextBytes(content);
        serve(
                "spill",
                in -> {
                    in.out().write(content);
                    return 3;
                });

        var process = StubProgram.command(socket, List.of("$spur", "spill")).start();
        var first = process.getInputStream().readNBytes(1000);
        var rest = process.getInputStream().readAllBytes();

        assertThat(process.waitFor()).isEqualTo(3);
        assertThat(first.length + rest.length).isEqualTo(content.length);
        assertThat(ByteBuffer.allocate(content.length).put(first).put(rest).array())
                .isEqualTo(content);
    }

    @Test
    void streamsWhileItListensToSignals() throws Exception {
        var content = new byte[5 * MEBIBYTE];
        new Random(2).nextBytes(content);
        serve(
                "spill",
                in -> {
                    in.signals().listen(Set.of(ProcessSignal.INT), _ -> {});
                    in.out().write(content);
                    return 0;
                });

        assertThat(StubProgram.call(socket, "spill").output()).isEqualTo(content);
    }

    @Test
    void endsLikeAnyProgramWhenNobodyReads() throws Exception {
        serve(
                "yes",
                in -> {
                    try {
                        while (true) {
                            in.out().println("y");
                        }
                    } catch (CallerGoneException e) {
                        cancelled.countDown();
                        throw e;
                    }
                });

        var told = StubProgram.shell(socket, "$spur yes | head -n 2; echo ${PIPESTATUS[0]}");

        assertThat(told.text()).isEqualTo("y\ny\n141\n");
        assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void readsStandardInputToItsEnd() throws Exception {
        serve(
                "count",
                in -> {
                    in.out().println(Integer.toString(in.input().readAllBytes().length));
                    return 0;
                });

        assertThat(StubProgram.shell(socket, "head -c 3000000 /dev/zero | $spur count").text())
                .isEqualTo("3000000\n");
        assertThat(StubProgram.shell(socket, "$spur count < /dev/null").text()).isEqualTo("0\n");
        assertThat(StubProgram.shell(socket, "$spur count <&-").text()).isEqualTo("0\n");
    }

    @Test
    void takesNothingFromStandardInputUnasked() throws Exception {
        assertThat(StubProgram.shell(socket, "(echo kept) | ($spur exit 0; cat)").text())
                .isEqualTo("kept\n");
    }
}
