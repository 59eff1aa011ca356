package dev.spur.runtime.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoopbackOwnerTest {
    /// As in the rows below.
    private static final InetSocketAddress CLIENT = new InetSocketAddress("127.0.0.1", 0x9C40);

    private static final InetSocketAddress CONTROLLER = new InetSocketAddress("127.0.0.1", 6817);

    private static final String ESTABLISHED =
            "0100007F:9C40 0100007F:1AA1 01 00000000:00000000 00:00000000 00000000 65534 0 8123 1";
    private static final String ENDED_ELSEWHERE =
            "0100007F:9C40 0100007F:2328 06 00000000:00000000 03:0000176F 00000000     0 0    0 3";
    private static final String ENDED_HERE =
            "0100007F:9C40 0100007F:1AA1 06 00000000:00000000 03:0000176F 00000000     0 0    0 3";

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void theKernelTellsWhoConnected(String loopback) throws Exception {
        try (var server = new ServerSocket(0, 5, InetAddress.getByName(loopback));
                var _ = new Socket(server.getInetAddress(), server.getLocalPort());
                var accepted = server.accept()) {
            var client = (InetSocketAddress) accepted.getRemoteSocketAddress();
            var here = (InetSocketAddress) accepted.getLocalSocketAddress();

            assertThat(LoopbackOwner.uid(client, here)).hasValue(Users.currentUid());
        }
    }

    @Test
    void whoeverIsConnectedFromThatPortToAnotherPlaceIsNobody() throws Exception {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var _ = new Socket(server.getInetAddress(), server.getLocalPort());
                var accepted = server.accept()) {
            var client = (InetSocketAddress) accepted.getRemoteSocketAddress();

            assertThat(LoopbackOwner.uid(client, CONTROLLER)).isEmpty();
        }
    }

    @Test
    void whoIsNotThereIsNobody() {
        assertThat(LoopbackOwner.uid(new InetSocketAddress("127.0.0.1", 1), CONTROLLER)).isEmpty();
    }

    /// Who ends a connection of his own to any place, and comes from the same port then, has both
    /// rows; the first one is root's, says the kernel.
    @Test
    void aConnectionThatHasEndedAtTheSamePortIsNobodys() {
        assertThat(owner(ENDED_ELSEWHERE, ESTABLISHED)).hasValue(65534);
        assertThat(owner(ENDED_ELSEWHERE)).isEmpty();
        assertThat(owner(ENDED_HERE, ESTABLISHED)).hasValue(65534);
        assertThat(owner(ENDED_HERE)).isEmpty();
    }

    @Test
    void aConnectionThatNoProcessHasIsNobodys() {
        assertThat(owner(ESTABLISHED.replace("65534 0 8123", "0 0 0"))).isEmpty();
    }

    @Test
    void aSocketOfTheNewerProtocolMayHaveAnAddressOfTheOlder() {
        var mapped = "0000000000000000FFFF00000100007F:";

        assertThat(owner(ESTABLISHED.replace("0100007F:", mapped))).hasValue(65534);
    }

    private static OptionalLong owner(String... rows) {
        var number = "   7: ";
        return LoopbackOwner.uid(Stream.of(rows).map(number::concat), CLIENT, CONTROLLER);
    }
}
