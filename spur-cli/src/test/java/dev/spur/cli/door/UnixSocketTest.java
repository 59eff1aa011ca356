package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class UnixSocketTest {
    @TempDir Path directory;

    /// A door that closes, or a command that runs out of time, may come late to a connection.
    @Test
    void touchesNoDescriptorThatIsSomebodyElsesNow() throws Exception {
        var path = directory.resolve("socket");
        int listener = Libc.listeningSocket(path.toString().getBytes(StandardCharsets.UTF_8), 8);
        try (var arena = Arena.ofConfined();
                var poller = new Poller("test-poll");
                var first = connected(path);
                var second = connected(path)) {
            var errno = arena.allocate(8, 8);
            int number = Libc.accept(listener, errno);
            var gone = new UnixSocket(number, poller);
            gone.release();
            assertThat(Libc.accept(listener, errno)).isEqualTo(number);

            gone.shutdown();
            assertThatThrownBy(() -> gone.send(new byte[] {'x'}, 0, 1))
                    .isInstanceOf(EOFException.class);

            assertThat(Libc.send(number, new byte[] {'y'}, 0, 1)).isEqualTo(1);
            var heard = ByteBuffer.allocate(8);
            second.read(heard);
            assertThat(heard.position()).isEqualTo(1);
            assertThat((char) heard.get(0)).isEqualTo('y');
            assertThat(first.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            Libc.close(number);
        } finally {
            Libc.close(listener);
        }
    }

    @Test
    void isNotKeptWhenItCannotBeWaitedFor() {
        try (var poller = new Poller("test-poll")) {
            int closed = Libc.newEvent();
            Libc.close(closed);
            var socket = new UnixSocket(closed, poller);

            assertThatThrownBy(() -> poller.register(socket, closed, Libc.EPOLLIN))
                    .isInstanceOf(IOException.class);

            assertThat(poller.size()).isZero();
        }
    }

    private static SocketChannel connected(Path path) throws Exception {
        return SocketChannel.open(UnixDomainSocketAddress.of(path));
    }
}
