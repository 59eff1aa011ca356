package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IncomingTest {
    private static final int WINDOW = 64 << 10;

    @TempDir Path directory;

    @Test
    void costsNoMoreThanItHoldsHoweverSmallTheFramesAre() throws Exception {
        var path = directory.resolve("socket");
        int listener = Libc.listeningSocket(path.toString().getBytes(StandardCharsets.UTF_8), 8);
        try (var arena = Arena.ofConfined();
                var poller = new Poller("test-poll");
                var _ = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            var socket = new UnixSocket(Libc.accept(listener, arena.allocate(8, 8)), poller);
            var stream = new Incoming(16, new FrameWriter(socket), WINDOW, WINDOW, () -> {});

            for (var i = 0; i < WINDOW; i++) {
                stream.received(ByteBuffer.wrap(new byte[] {(byte) i}));
            }

            assertThat(stream.room()).isLessThanOrEqualTo(2 * WINDOW);
            assertThat(stream.readNBytes(WINDOW / 2 + 256)).startsWith(0, 1, 2).endsWith(254, 255);
            assertThat(stream.read()).isZero(); // asks for more
            stream.received(ByteBuffer.wrap(new byte[] {42}));
            assertThat(stream.readNBytes(WINDOW / 2 - 256)).startsWith(1, 2).endsWith(255, 42);
            socket.release();
        } finally {
            Libc.close(listener);
        }
    }
}
