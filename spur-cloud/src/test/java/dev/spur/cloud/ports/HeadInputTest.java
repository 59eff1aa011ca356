package dev.spur.cloud.ports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HeadInputTest {
    @Test
    void aHeadThatNeverEndsIsNotWaitedForHoweverManyBytesCome() throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var browser = new Socket(server.getInetAddress(), server.getLocalPort());
                var socket = server.accept()) {
            var sender = Thread.ofVirtual().start(() -> sendForEver(browser));
            var input = new HeadInput(socket, Duration.ofMillis(200));

            assertThatThrownBy(() -> readForEver(input))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessageContaining("did not come in time");
            input.headHasCome();
            assertThat(input.read()).isEqualTo('x');
            socket.close();
            browser.close();
            sender.join();
        }
    }

    private static void readForEver(HeadInput input) throws IOException {
        while (input.read() >= 0) {
            // goes on
        }
    }

    private static void sendForEver(Socket browser) {
        try {
            while (true) {
                browser.getOutputStream().write('x');
            }
        } catch (IOException _) {
            // the other side has had enough
        }
    }
}
