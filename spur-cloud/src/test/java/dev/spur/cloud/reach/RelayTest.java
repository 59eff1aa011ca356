package dev.spur.cloud.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Against the real program.
@Timeout(60)
class RelayTest {
    @TempDir private Path home;
    private LocalPrograms programs;
    private Relay relay;
    private ServerSocket echo;

    @BeforeEach
    void start() throws Exception {
        programs = new LocalPrograms(home);
        relay = Relay.start(programs);
        echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::answerEverybody);
    }

    private void answerEverybody() {
        try {
            while (true) {
                var socket = echo.accept();
                Thread.ofVirtual()
                        .start(() -> {
                            try (socket) {
                                socket.getInputStream().transferTo(socket.getOutputStream());
                            } catch (IOException _) {
                                // the other side hung up
                            }
                        });
            }
        } catch (IOException _) {
            // the test is over
        }
    }

    @AfterEach
    void stop() throws IOException {
        relay.close();
        programs.close();
        echo.close();
    }

    @Test
    void bytesGoBothWaysUntilBothSidesHaveNoMore() throws Exception {
        try (var connection = relay.openTcp("127.0.0.1", echo.getLocalPort())) {
            connection.output().write("hello".getBytes(StandardCharsets.UTF_8));
            connection.output().close();

            assertThat(connection.input().readAllBytes()).asString().isEqualTo("hello");
        }
    }

    @Test
    void megabytesArriveWholeOnManyConnectionsAtOnce() throws Exception {
        var sent = new byte[3 << 20];
        new Random(7).nextBytes(sent);
        var received = new ArrayList<CompletableFuture<byte[]>>();
        for (var i = 0; i < 4; i++) {
            received.add(CompletableFuture.supplyAsync(() -> sentThrough(sent)));
        }

        for (var each : received) {
            assertThat(each.get()).isEqualTo(sent);
        }
    }

    private byte[] sentThrough(byte[] bytes) {
        try (var connection = relay.openTcp("localhost", echo.getLocalPort())) {
            var reader = CompletableFuture.supplyAsync(() -> all(connection.input()));
            connection.output().write(bytes);
            connection.output().close();
            return reader.get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] all(InputStream in) {
        try {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void whoDoesNotReadHoldsUpNobodyElse() throws Exception {
        try (var deaf = relay.openTcp("127.0.0.1", echo.getLocalPort());
                var other = relay.openTcp("127.0.0.1", echo.getLocalPort())) {
            var flood = Thread.ofVirtual().start(() -> flood(deaf));
            assertThat(flood.join(java.time.Duration.ofMillis(500))).isFalse(); // no credit is left

            other.output().write('x');

            assertThat(other.input().read()).isEqualTo('x');
            deaf.close();
            flood.join();
        }
    }

    private static void flood(RelayConnection connection) {
        try {
            while (true) {
                connection.output().write(new byte[32 << 10]);
            }
        } catch (IOException _) {
            // closed
        }
    }

    @Test
    void aSocketInTheFileSystemIsReachedByItsPath() throws Exception {
        var path = home.resolve("socket");
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            try (var connection = relay.openUnix(path.toString());
                    var accepted = server.accept()) {
                connection.output().write("by path".getBytes(StandardCharsets.UTF_8));
                connection.output().close();

                assertThat(Channels.newInputStream(accepted).readAllBytes())
                        .asString()
                        .isEqualTo("by path");
            }
        }
    }

    @Test
    void whoDoesNotAnswerIsNamedWithTheReason() throws Exception {
        int port;
        try (var nobody = new ServerSocket()) {
            nobody.bind(new InetSocketAddress("127.0.0.1", 0));
            port = nobody.getLocalPort();
        }

        assertThatThrownBy(() -> relay.openTcp("127.0.0.1", port))
                .isInstanceOf(NotReachedException.class)
                .hasMessageContaining("Connection refused");
        assertThatThrownBy(() -> relay.openUnix(home.resolve("nothing").toString()))
                .hasMessageContaining("No such file");
        assertThatThrownBy(() -> relay.openUnix("x".repeat(200)))
                .hasMessageContaining("1 to 107 bytes");
        assertThatThrownBy(() -> relay.openTcp("no-such-host.invalid", 80))
                .hasMessageContaining("no-such-host");
    }

    @Test
    void itKnowsWhoseListeningPortsAre() throws Exception {
        assertThat(relay.listens(echo.getLocalPort())).isTrue();
        try (var nobody = new ServerSocket(0)) {
            var port = nobody.getLocalPort();
            nobody.close();
            assertThat(relay.listens(port)).isFalse();
        }
    }

    @Test
    void moreThan256ConnectionsAreRefusedInWords() throws Exception {
        var open = new ArrayList<RelayConnection>();
        for (var i = 0; i < 256; i++) {
            open.add(relay.openTcp("127.0.0.1", echo.getLocalPort()));
        }

        assertThatThrownBy(() -> relay.openTcp("127.0.0.1", echo.getLocalPort()))
                .hasMessageContaining("the most at a time");
        open.getFirst().close();
        relay.openTcp("127.0.0.1", echo.getLocalPort()).close();
    }

    @Test
    void whenItEndsEveryConnectionHasEnded() throws Exception {
        var connection = relay.openTcp("127.0.0.1", echo.getLocalPort());

        relay.close();

        assertThat(connection.input().read()).isEqualTo(-1);
        assertThatThrownBy(() -> connection.output().write(1)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> relay.openTcp("127.0.0.1", 1))
                .isInstanceOf(NotReachedException.class);
    }

    /// The program alone, built with the sanitizers where the compiler has them.
    @Test
    void nonsenseEndsTheProgramWithoutHarm() throws Exception {
        var built = home.resolve("built");
        var make =
                new ProcessBuilder(
                                "make",
                                "-sC",
                                LocalPrograms.relay().resolve("../../relay").normalize().toString(),
                                "BUILD=" + built,
                                "CFLAGS=-O1 -g -fsanitize=address,undefined -fno-sanitize-recover")
                        .redirectErrorStream(true)
                        .start();
        assertThat(new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        var random = new Random(11);
        for (var round = 0; round < 40; round++) {
            var process = new ProcessBuilder(built.resolve("spur-relay").toString()).start();
            var swallower = Thread.ofVirtual().start(() -> swallow(process.getInputStream()));
            talkNonsense(process, random);
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            var said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(said).doesNotContain("Sanitizer").doesNotContain("runtime error");
            assertThat(process.exitValue()).isIn(0, 2);
            swallower.join();
        }
    }

    /// Frames that are mostly well-formed, of every type and channel, then the end of the input.
    private void talkNonsense(Process process, Random random) {
        try (var out = new DataOutputStream(process.getOutputStream())) {
            for (var i = 0; i < 200; i++) {
                var payload = payload(random);
                out.writeInt(random.nextInt(400) == 0 ? random.nextInt() : 5 + payload.length);
                out.writeByte(
                        random.nextInt(200) == 0 ? random.nextInt(256) : 1 + random.nextInt(11));
                out.writeInt(random.nextInt(random.nextBoolean() ? 8 : 600));
                out.write(payload);
            }
        } catch (IOException _) {
            // it has had enough
        }
    }

    private static void swallow(InputStream in) {
        try {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException _) {
            // it has ended
        }
    }

    private byte[] payload(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> ("127.0.0.1\0" + echo.getLocalPort()).getBytes(StandardCharsets.US_ASCII);
            case 1 -> new byte[] {0, 0, (byte) random.nextInt(256), (byte) random.nextInt(256)};
            case 2 -> new byte[random.nextInt(random.nextInt(20) == 0 ? 32 << 10 : 300)];
            default -> {
                var bytes = new byte[random.nextInt(300)];
                random.nextBytes(bytes);
                yield bytes;
            }
        };
    }

    @Test
    void aRelayThatNobodyTalksToEnds() throws Exception {
        try (var forgotten =
                programs.start(
                        new Program("relay", List.of("spur-relay", "-i", "1"), Map.of(), null))) {
            assertThat(forgotten.await()).isEqualTo(new ProgramEnd.Exited(0));
        }
    }
}
