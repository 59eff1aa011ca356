package dev.spur.controller.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostRole;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Three controllers, each with its own certificate, over real sockets.
@Timeout(120)
class RatisQuorumTest {
    @TempDir Path directory;

    private final List<RatisLog<String, Integer>> logs = new ArrayList<>();
    private final List<CountingReplica> replicas = new ArrayList<>();

    @AfterEach
    void stop() {
        logs.forEach(RatisLog::close);
    }

    @Test
    void whatTheLeaderAcknowledgedIsThereWhenAnotherLeads() throws Exception {
        start(3);
        var first = leader();
        assertThat(logs.get(first).propose("kept").get(30, TimeUnit.SECONDS)).isEqualTo(1);

        logs.get(first).close();
        var second = otherLeader(first);

        assertThat(logs.get(second).propose("more").get(30, TimeUnit.SECONDS)).isEqualTo(2);
        assertThat(replicas.get(second).words).containsExactly("kept", "more");
    }

    @Test
    void aFollowerNamesTheLeader() throws Exception {
        start(3);
        var leader = leader();
        var follower = logs.get((leader + 1) % 3);
        follower.awaitLeader();

        var refused =
                follower.propose("word").handle((_, failure) -> failure).get(30, TimeUnit.SECONDS);

        assertThat(refused)
                .isInstanceOfSatisfying(
                        NotLeaderException.class,
                        e -> assertThat(e.leader()).isEqualTo("ctl" + (leader + 1) + ":6817"));
    }

    private void start(int count) throws IOException {
        var ca = ClusterCa.openOrCreate(directory.resolve("ca"), "test", InstantSource.system());
        var peers = new ArrayList<RaftConfig.Peer>();
        for (var port : freePorts(count)) {
            var number = peers.size() + 1;
            peers.add(
                    new RaftConfig.Peer(
                            "" + number, "127.0.0.1:" + port, "ctl" + number + ":6817"));
        }
        for (var peer : peers) {
            var identity =
                    ca.createIdentity(
                            directory.resolve("identity" + peer.id()),
                            "ctl" + peer.id(),
                            HostRole.CONTROLLER);
            var tls =
                    new RaftConfig.Tls(
                            identity.keyManager(), new ControllersOnly(identity.trustManager()));
            var limits = new RaftConfig.Limits(1000, 1 << 20, 1000, 1 << 20);
            var config =
                    new RaftConfig(directory.resolve("raft" + peer.id()), peer, peers, tls, limits);
            var replica = new CountingReplica();
            replicas.add(replica);
            logs.add(RatisLog.open(config, CountingReplica.CODEC, replica, () -> {}));
        }
    }

    /// Waits until one of them says that it leads.
    private int leader() throws InterruptedException {
        return otherLeader(-1);
    }

    private int otherLeader(int gone) throws InterruptedException {
        var elected = new CountDownLatch(1);
        var leader = new int[1];
        for (var i = 0; i < logs.size(); i++) {
            var number = i;
            if (i != gone) {
                logs.get(i)
                        .whileLeading(_ -> {
                            leader[0] = number;
                            elected.countDown();
                            return () -> {};
                        });
            }
        }
        assertThat(elected.await(60, TimeUnit.SECONDS)).as("somebody leads").isTrue();
        return leader[0];
    }

    private static List<Integer> freePorts(int count) throws IOException {
        var sockets = new ArrayList<ServerSocket>();
        try {
            for (var i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }
}
