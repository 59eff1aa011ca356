package dev.spur.controller.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.client.Channels;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.PingRequest;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.RaftConfig;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One of three controllers, ctl1, which does not lead.
@Timeout(60)
class NeighboursTest {
    private final Channels channels = new Channels(new TransportSecurity.Plain());
    private final Map<String, Server> servers = new HashMap<>();
    private final List<String> expelled = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private int[] ports;
    private KnownMembers members;
    private Neighbours neighbours;

    @BeforeEach
    void three() throws IOException {
        ports = freePorts(3);
        members = new KnownMembers(peer(1), peer(2), peer(3));
        members.leads(null);
        neighbours =
                new Neighbours(
                        members,
                        () -> new Leadership.Following(null),
                        List.of(),
                        channels,
                        new Clocks(InstantSource.system(), nanos::get),
                        nanos::get,
                        Duration.ofSeconds(10),
                        _ -> {},
                        expelled::add);
    }

    @AfterEach
    void stop() {
        channels.close();
        servers.values().forEach(Server::shutdownNow);
    }

    @Test
    void aControllerThatIsBackIsConnectedToAtOnceSoThatItCanVote() throws IOException {
        answers("ctl3", 3);
        neighbours.look();
        assertThat(members.reconnected()).isEmpty();

        answers("ctl2", 2);
        lookUntil(() -> !members.reconnected().isEmpty());

        assertThat(members.reconnected()).containsExactly("ctl2");
        neighbours.look();
        assertThat(members.reconnected()).containsExactly("ctl2");
    }

    @Test
    void tooFewControllersAreToldWithTheNamesOfThoseThatAreAway() {
        neighbours.look();
        assertThat(neighbours.trouble()).isEmpty();

        passes(Duration.ofSeconds(5));
        neighbours.look();

        assertThat(neighbours.trouble())
                .startsWith("the controllers have no majority: 1 of 3 answer, 2 are needed")
                .contains("ctl2 does not answer (Connection refused)")
                .contains("ctl3 does not answer (Connection refused)");
    }

    @Test
    void whoeverAsksIsLetWaitWhileEnoughControllersAreThereToElectOne() throws IOException {
        neighbours.look();
        passes(Duration.ofSeconds(10));
        neighbours.look();
        assertThat(neighbours.trouble()).isNotEmpty();

        answers("ctl2", 2);
        lookUntil(() -> !members.reconnected().isEmpty());

        assertThat(neighbours.trouble()).isEmpty();
    }

    @Test
    void controllersThatAnswerAndNeverAgreeAreToldToLookAtTheirReplication() throws IOException {
        answers("ctl2", 2);
        answers("ctl3", 3);
        neighbours.look();
        passes(Duration.ofSeconds(31));

        neighbours.look();

        assertThat(neighbours.trouble())
                .startsWith("3 of 3 controllers answer, but they do not agree on a leader")
                .contains("replication addresses");
    }

    /// A connection that was refused before is made again while it is asked for.
    private void lookUntil(BooleanSupplier condition) {
        var deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
            neighbours.look();
        }
    }

    private void passes(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void answers(String name, int number) throws IOException {
        var service =
                new ControllerGrpc.ControllerImplBase() {
                    @Override
                    public void ping(PingRequest request, StreamObserver<PingReply> reply) {
                        reply.onNext(PingReply.getDefaultInstance());
                        reply.onCompleted();
                    }
                };
        servers.put(
                name,
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", ports[number - 1]))
                        .addService(service)
                        .build()
                        .start());
    }

    private RaftConfig.Peer peer(int number) {
        return new RaftConfig.Peer("ctl" + number, "127.0.0.1:1", "127.0.0.1:" + ports[number - 1]);
    }

    private static int[] freePorts(int count) throws IOException {
        var sockets = new ArrayList<ServerSocket>();
        var found = new int[count];
        for (var i = 0; i < count; i++) {
            sockets.add(new ServerSocket(0));
            found[i] = sockets.get(i).getLocalPort();
        }
        for (var socket : sockets) {
            socket.close();
        }
        return found;
    }
}
