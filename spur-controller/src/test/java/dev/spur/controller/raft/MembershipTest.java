package dev.spur.controller.raft;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostRole;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Controllers come and go while the log is in use, over real sockets.
@Timeout(120)
class MembershipTest {
    @TempDir Path directory;

    private final Map<String, RatisLog<String, Integer>> logs = new HashMap<>();
    private final Map<String, CountingReplica> replicas = new HashMap<>();
    private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();
    private ClusterCa ca;

    @BeforeEach
    void authority() {
        ca = ClusterCa.openOrCreate(directory.resolve("ca"), "test", InstantSource.system());
    }

    @AfterEach
    void stop() {
        logs.values().forEach(RatisLog::close);
    }

    @Test
    void aControllerAloneGrowsToThreeAndKeepsWhatItHad() throws Exception {
        var first = begin("ctl1");
        propose(first, "before");

        first.membership().add(join("ctl2").membership().self());
        first.membership().add(join("ctl3").membership().self());
        propose(first, "after");

        assertThat(names(first)).containsExactly("ctl1", "ctl2", "ctl3");
        first.close();
        var next = whoLeads("ctl2", "ctl3");
        assertThat(propose(next, "without the first")).isEqualTo(3);
        assertThat(requireNonNull(replicas.get(next.membership().self().id())).words)
                .containsExactly("before", "after", "without the first");
    }

    @Test
    void aNewControllerThatIsNotThereCostsNoMajority() throws Exception {
        var first = begin("ctl1");
        var absent = new RaftConfig.Peer("ctl2", "127.0.0.1:" + freePort(), "ctl2:6817");

        assertThatThrownBy(() -> first.membership().add(absent))
                .isInstanceOf(MembershipException.class);

        assertThat(names(first)).containsExactly("ctl1");
        assertThat(propose(first, "still there")).isEqualTo(1);
    }

    @Test
    void aDeadControllerIsRemovedAndTheOthersNeedItNoMore() throws Exception {
        var first = begin("ctl1");
        first.membership().add(join("ctl2").membership().self());
        first.membership().add(join("ctl3").membership().self());
        requireNonNull(logs.get("ctl3")).close();

        first.membership().remove("ctl3");

        assertThat(names(first)).containsExactly("ctl1", "ctl2");
        assertThat(propose(first, "two are enough")).isEqualTo(1);
    }

    @Test
    void aControllerAloneThatGetsAnotherAddressIsReachedThere() throws Exception {
        var first = begin("ctl1");
        propose(first, "kept");
        first.close();
        var moved = begin("ctl1");

        moved.membership().add(moved.membership().self());
        moved.membership().add(join("ctl2").membership().self());

        assertThat(moved.membership().members())
                .contains(moved.membership().self())
                .extracting(RaftConfig.Peer::name)
                .containsExactly("ctl1", "ctl2");
        assertThat(propose(moved, "more")).isEqualTo(2);
    }

    @Test
    void aControllerThatIsTakenOutEndsWithThatReason() throws Exception {
        var first = begin("ctl1");
        first.membership().add(join("ctl2").membership().self());
        first.membership().add(join("ctl3").membership().self());

        first.membership().remove("ctl3");

        assertThat(ends.poll(60, TimeUnit.SECONDS))
                .startsWith("this controller was removed from the cluster");
    }

    @Test
    void aControllerThatMustNotLeadLetsAnother() throws Exception {
        var first = begin("ctl1");
        first.membership().add(join("ctl2").membership().self());
        first.membership().add(join("ctl3").membership().self());
        first.leadUnless(() -> Optional.of("its clock is wrong"));

        first.stepAside("its clock is wrong");
        assertThat(first.leadership().isLeading()).isFalse();
        first.membership().handOver();

        assertThat(propose(whoLeads("ctl2", "ctl3"), "led by another")).isEqualTo(1);
    }

    @Test
    void theLastControllerGoesOnAloneIfTheOthersAreLostForGood() throws Exception {
        var first = begin("ctl1");
        first.membership().add(join("ctl2").membership().self());
        first.membership().add(join("ctl3").membership().self());
        propose(first, "kept");
        var self = first.membership().self();
        logs.values().forEach(RatisLog::close);

        var survivor = new Survivor(directory.resolve("raft-ctl1"), self);
        assertThat(survivor.others())
                .extracting(RaftConfig.Peer::name)
                .containsExactly("ctl2", "ctl3");
        survivor.giveUpTheOthers();
        var alone = open(self, List.of(self));

        assertThat(alone.awaitLeader()).isTrue();
        assertThat(names(alone)).containsExactly("ctl1");
        assertThat(propose(alone, "more")).isEqualTo(2);
        assertThat(survivor.others()).isEmpty();
    }

    private RatisLog<String, Integer> begin(String name) throws IOException, InterruptedException {
        var self = peer(name);
        var log = open(self, List.of(self));
        assertThat(log.awaitLeader()).isTrue();
        return log;
    }

    private RatisLog<String, Integer> join(String name) throws IOException {
        return open(peer(name), List.of());
    }

    private RatisLog<String, Integer> open(RaftConfig.Peer self, List<RaftConfig.Peer> founders)
            throws IOException {
        var identity =
                ca.createIdentity(
                        directory.resolve("identity-" + self.id()),
                        self.name(),
                        HostRole.CONTROLLER);
        var tls =
                new RaftConfig.Tls(
                        HostAndPort.parse(self.address()),
                        identity.keyManager(),
                        new ControllersOnly(identity.trustManager(), _ -> false));
        var config =
                new RaftConfig(
                        directory.resolve("raft-" + self.id()),
                        self,
                        founders,
                        tls,
                        new RaftConfig.Limits(1000, 1 << 20, 1000, 1 << 20));
        var replica = new CountingReplica();
        var log = RatisLog.open(config, CountingReplica.CODEC, replica, ends::add);
        replicas.put(self.id(), replica);
        logs.put(self.id(), log);
        return log;
    }

    private static RaftConfig.Peer peer(String name) throws IOException {
        return new RaftConfig.Peer(name, "127.0.0.1:" + freePort(), name + ":6817");
    }

    private static int propose(RatisLog<String, Integer> log, String word) throws Exception {
        return log.propose(word).get(30, TimeUnit.SECONDS);
    }

    private static List<String> names(RatisLog<String, Integer> log) {
        return log.membership().members().stream().map(RaftConfig.Peer::name).toList();
    }

    private RatisLog<String, Integer> whoLeads(String... candidates) throws InterruptedException {
        var elected = new CountDownLatch(1);
        var leader = new String[1];
        for (var name : candidates) {
            requireNonNull(logs.get(name))
                    .whileLeading(_ -> {
                        leader[0] = name;
                        elected.countDown();
                        return () -> {};
                    });
        }
        assertThat(elected.await(60, TimeUnit.SECONDS)).as("somebody leads").isTrue();
        return requireNonNull(logs.get(leader[0]));
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
