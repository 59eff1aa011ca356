package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Neither side believes what the other one sends.
@Timeout(60)
final class DoorNonsenseTest extends DoorFixture {
    @Test
    void survivesGarbage() throws Exception {
        var random = new Random(3);
        for (int i = 0; i < 50; i++) {
            var garbage = new byte[random.nextInt(1, 5000)];
            random.nextBytes(garbage);
            send(garbage);
        }
        send(new byte[] {-1, -1, -1, -1, Frame.HELLO, 0, 0, 0, 0});
        send(new byte[] {0, 0, 0, 5, Frame.HELLO, 0, 0, 0, 0, 1});

        assertThat(StubProgram.call(socket, "exit", "4").exitCode()).isEqualTo(4);
        while (door.commands() > 0) {
            Thread.onSpinWait(); // the caller may know of its end before the door has counted it
        }
    }

    @Test
    void survivesGarbageAfterAValidGreeting() throws Exception {
        var random = new Random(4);
        for (int i = 0; i < 100; i++) {
            var payload = new byte[random.nextInt(0, 40)];
            random.nextBytes(payload);
            var session =
                    ByteBuffer.allocate(1000)
                            .put(frame(Frame.HELLO, 0, greeting()))
                            .put(
                                    frame(
                                            Frame.ARGUMENTS,
                                            0,
                                            "wait\0".getBytes(StandardCharsets.UTF_8)))
                            .put(frame(Frame.RUN, 0, new byte[0]))
                            .put(frame(random.nextInt(0, 50), random.nextInt(0, 20), payload))
                            .flip();
            var bytes = new byte[session.remaining()];
            session.get(bytes);
            send(bytes);
        }

        assertThat(StubProgram.call(socket, "exit", "4").exitCode()).isEqualTo(4);
    }

    private static byte[] greeting() {
        return ByteBuffer.allocate(4 + 2 + 2 + 1 + 4 + 1 + 16 + 2 + 4 + 2 + 1)
                .putInt(Frame.MAGIC)
                .putShort((short) Frame.VERSION)
                .put(new byte[2 + 1 + 4 + 1 + 16])
                .putShort((short) 4)
                .put("spur".getBytes(StandardCharsets.UTF_8))
                .putShort((short) 1)
                .put((byte) '/')
                .array();
    }

    private static byte[] frame(int type, int stream, byte[] payload) {
        return ByteBuffer.allocate(Frame.HEADER + payload.length)
                .putInt(payload.length)
                .put((byte) type)
                .putInt(stream)
                .put(payload)
                .array();
    }

    @Test
    void theStubSurvivesADoorThatTalksNonsense() throws Exception {
        var random = new Random(5);
        var nonsense = directory.resolve("nonsense.sock");
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(nonsense));
            var answering =
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    for (int i = 0; i < 50; i++) {
                                        answer(listener, random);
                                    }
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            });
            for (int i = 0; i < 50; i++) {
                // 139 would be a crash.
                assertThat(StubProgram.call(nonsense, "exit", "0").exitCode()).isLessThan(128);
            }
            answering.join();
        }
    }

    private static void answer(ServerSocketChannel listener, Random random) throws IOException {
        try (var channel = listener.accept()) {
            for (int i = 0; i < 5; i++) {
                var payload = new byte[random.nextInt(0, 40)];
                random.nextBytes(payload);
                // No OPEN, SPAWN, KILL or RAW: what they do would be as random as their payload.
                int type = List.of(5, 6, 34, 36, 2, 3, 60, 200).get(random.nextInt(8));
                channel.write(ByteBuffer.wrap(frame(type, random.nextInt(0, 20), payload)));
            }
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe).*");
        }
    }

    private void send(byte[] bytes) throws IOException {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(ByteBuffer.wrap(bytes));
            channel.shutdownOutput();
            while (channel.read(ByteBuffer.allocate(1024)) > 0) {}
        } catch (IOException e) {
            // Being thrown out is the expected answer.
            assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe).*");
        }
    }

    @Test
    void tellsAnotherVersionOfTheStubWhatToDo() throws Exception {
        var hello =
                ByteBuffer.allocate(Frame.HEADER + 6)
                        .putInt(6)
                        .put((byte) Frame.HELLO)
                        .putInt(0)
                        .putInt(Frame.MAGIC)
                        .putShort((short) 99)
                        .flip();
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(hello);
            var answer = ByteBuffer.allocate(1000);
            while (channel.read(answer) > 0) {}

            assertThat(answer.get(4)).isEqualTo((byte) Frame.REFUSED);
            assertThat(new String(answer.array(), StandardCharsets.UTF_8))
                    .contains("version 99", "restart the service");
        }
    }
}
