package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.ProcessSignal;
import dev.spur.cli.tools.Tools;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A door ends, and the next one goes on with its callers.
@Timeout(60)
final class NextDoorTest extends DoorFixture {
    @Test
    void saysSoWhenTheDoorDiesInTheMiddle() throws Exception {
        var builder = StubProgram.command(socket, List.of("$spur", "wait"));
        var process = builder.start();
        started.await();

        door.close();

        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(builder.redirectError().file())
                .content()
                .contains("ended in the middle of this command");
    }

    @Test
    void nextDoorGoesOnWithWhatTheLastOneLeftWithTheCaller() throws Exception {
        tools.put(
                "count",
                in -> {
                    var reached = in.memory().recall(7).map(kept -> kept[0]).orElse((byte) 0);
                    in.out().println("from " + reached).flush();
                    in.memory().keep(7, new byte[] {(byte) (reached + 1)});
                    if (!in.memory().isResumed()) {
                        started.countDown();
                        new CountDownLatch(1).await();
                    }
                    return 5;
                });
        reopen(DoorLimits.DEFAULTS);
        var builder = StubProgram.command(socket, List.of("$spur", "count"));
        var process = builder.start();
        started.await();

        reopen(DoorLimits.DEFAULTS);

        assertThat(process.getInputStream()).hasContent("from 0\nfrom 1\n");
        assertThat(process.waitFor()).isEqualTo(5);
    }

    @Test
    void comesAgainToTheNextDoorWhenThatHasNoPlaceYet() throws Exception {
        tools.put(
                "hold",
                in -> {
                    if (in.memory().isResumed()) {
                        return 5;
                    }
                    in.memory().keep(7, new byte[] {1});
                    started.countDown();
                    new CountDownLatch(1).await();
                    return 1;
                });
        reopen(DoorLimits.DEFAULTS);
        var builder = StubProgram.command(socket, List.of("$spur", "hold"));
        var process = builder.start();
        started.await();

        door.close();
        refuseOne("too many commands run on this host\n");
        door = DoorServer.bind(DoorConfig.of(socket, new Tools(tools))).open();

        assertThat(process.waitFor()).isEqualTo(5);
        assertThat(builder.redirectError().file())
                .content()
                .doesNotContain("too many commands", "is not back");
    }

    /// As a door that is full.
    private void refuseOne(String why) throws IOException {
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(socket));
            try (var caller = listener.accept()) {
                caller.read(ByteBuffer.allocate(64));
                var text = why.getBytes(StandardCharsets.UTF_8);
                caller.write(
                        ByteBuffer.allocate(Frame.HEADER + 1 + text.length)
                                .putInt(1 + text.length)
                                .put((byte) Frame.REFUSED)
                                .putInt(0)
                                .put((byte) 1)
                                .put(text)
                                .flip());
            }
            Files.delete(socket);
        }
    }

    @Test
    void leavesTheSocketOfTheNextDoorAloneWhenItCloses() throws Exception {
        for (var i = 0; i < 50; i++) {
            var closing = Thread.ofVirtual().start(door::close);
            door = bindAsSoonAsPossible().open();
            closing.join();

            assertThat(socket).exists();
            assertThat(StubProgram.call(socket, "exit", "42").exitCode()).isEqualTo(42);
        }
    }

    private DoorServer bindAsSoonAsPossible() {
        while (true) {
            try {
                return DoorServer.bind(DoorConfig.of(socket, new Tools(tools)));
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("already listens");
            }
        }
    }

    @Test
    void inputThatWasNotTakenIsGivenToTheNextDoor() throws Exception {
        tools.put(
                "read",
                in -> {
                    in.memory().keep(7, new byte[] {1});
                    var input = in.input();
                    var offset = in.memory().inputOffset();
                    if (in.memory().isResumed()) {
                        in.out().print(offset + ":");
                        input.transferTo(in.out());
                        return 0;
                    }
                    assertThat(input.readNBytes(6)).asString().isEqualTo("abcdef");
                    in.memory().inputTaken(2);
                    started.countDown();
                    new CountDownLatch(1).await();
                    return 1;
                });
        reopen(DoorLimits.DEFAULTS);
        var process = StubProgram.command(socket, List.of("$spur", "read")).start();
        process.outputWriter().append("abcdef").flush();
        started.await();

        reopen(DoorLimits.DEFAULTS);
        process.outputWriter().append("gh").close();

        assertThat(process.getInputStream()).hasContent("2:cdefgh");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void nextDoorHearsOfTheEndOfAChild() throws Exception {
        tools.put(
                "shell",
                in -> {
                    var earlier = in.children().adopt();
                    if (earlier.isPresent()) {
                        return earlier.get().waitFor().code();
                    }
                    in.memory().keep(7, new byte[] {1});
                    in.children().spawn(List.of("sh", "-c", "read x; exit 9"), Map.of());
                    started.countDown();
                    new CountDownLatch(1).await();
                    return 1;
                });
        reopen(DoorLimits.DEFAULTS);
        var process = StubProgram.command(socket, List.of("$spur", "shell")).start();
        started.await();

        reopen(DoorLimits.DEFAULTS);
        process.getOutputStream().close();

        assertThat(process.waitFor()).isEqualTo(9);
    }

    @Test
    void whoWillNotWaitForTheNextDoorIsToldWhatGoesOn() throws Exception {
        tools.put(
                "hold",
                in -> {
                    in.signals().listen(Set.of(ProcessSignal.INT), _ -> {});
                    in.memory().farewell("Job 12 goes on.");
                    started.countDown();
                    new CountDownLatch(1).await();
                    return 1;
                });
        reopen(DoorLimits.DEFAULTS);
        var builder = StubProgram.command(socket, List.of("$spur", "hold"));
        builder.redirectErrorStream(true).redirectError(ProcessBuilder.Redirect.PIPE);
        var process = builder.start();
        started.await();

        door.close();
        var said = process.inputReader();
        assertThat(said.readLine()).contains("waiting for it to come back");
        assertThat(
                        new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                                .start()
                                .waitFor())
                .isZero();

        assertThat(said.readLine()).contains("is not back. Job 12 goes on.");
        assertThat(process.waitFor()).isEqualTo(130);
    }
}
