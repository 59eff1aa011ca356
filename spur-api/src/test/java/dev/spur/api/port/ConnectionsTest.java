package dev.spur.api.port;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ConnectionsTest {
    private final Connections connections = new Connections(3, 2);
    private final List<Integer> ended = new ArrayList<>();

    @Test
    void ofTooManyStrangersTheOldestGoes() {
        IntStream.rangeClosed(1, 5).forEach(this::open);

        assertThat(ended).containsExactly(1, 2);
        assertThat(connections.strangers()).isEqualTo(3);
    }

    @Test
    void aHostOfTheClusterStaysHoweverManyStrangersCome() {
        open(1);
        connections.isHost(at(1));

        IntStream.rangeClosed(2, 10).forEach(this::open);

        assertThat(ended).containsExactly(2, 3, 4, 5, 6, 7);
    }

    @Test
    void whoUsedATokenIsNoStrangerAndHasHisOwnNumber() {
        for (var i = 1; i <= 3; i++) {
            open(i);
            connections.isUsedBy(at(i), 1000);
        }
        open(4);
        connections.isUsedBy(at(4), 1001);

        assertThat(ended).containsExactly(1);
        assertThat(connections.strangers()).isZero();
    }

    @Test
    void aHostIsNotTakenForItsUsers() {
        open(1);
        connections.isHost(at(1));
        connections.isUsedBy(at(1), 1000);
        for (var i = 2; i <= 4; i++) {
            open(i);
            connections.isUsedBy(at(i), 1000);
        }

        assertThat(ended).containsExactly(2);
    }

    @Test
    void whatIsClosedIsNotCounted() {
        IntStream.rangeClosed(1, 3).forEach(this::open);
        connections.closed(at(1));
        connections.closed(at(1));

        open(4);

        assertThat(ended).isEmpty();
        assertThat(connections.strangers()).isEqualTo(3);
    }

    @Test
    void aFloodFromOnePlaceKeepsNobodyElseOut() {
        var elsewhere = new InetSocketAddress("192.0.2.7", 1);
        connections.opened(elsewhere, () -> ended.add(-1));

        for (var i = 1; i <= 250; i++) {
            var port = i;
            connections.opened(new InetSocketAddress("127.0.0." + i, port), () -> ended.add(port));
        }

        assertThat(ended).hasSize(248).doesNotContain(-1);
        assertThat(connections.strangers()).isEqualTo(3);
    }

    @Test
    void onlyConnectionsOfUsersAreHungUp() {
        open(1);
        open(2);
        connections.isHost(at(1));

        connections.hangUp(at(1));
        connections.hangUp(at(2));

        assertThat(ended).containsExactly(2);
    }

    private void open(int port) {
        connections.opened(at(port), () -> ended.add(port));
    }

    private static SocketAddress at(int port) {
        return new InetSocketAddress("127.0.0.1", port);
    }
}
