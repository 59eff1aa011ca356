package dev.spur.api.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.v1.JoinReply;
import dev.spur.api.v1.JoinRequest;
import dev.spur.api.v1.JoiningGrpc;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.HostAndPort;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class JoiningClientTest {
    private final Channels channels = new Channels(new TransportSecurity.Plain());
    private final List<Door> doors = new ArrayList<>();

    @AfterEach
    void stop() {
        channels.close();
        doors.forEach(door -> door.server.shutdownNow());
    }

    @Test
    void aHostJoinsALeaderThatItsTokenDoesNotName() throws IOException {
        var leader = door();
        var follower = door();
        follower.refuse(ErrorCode.NOT_LEADER, leader.address());

        assertThat(join(follower.address()).getRole()).isEqualTo("compute");
    }

    @Test
    void aHostWaitsForTheControllersToFindALeader() throws IOException {
        var electing = door();
        electing.refuse(ErrorCode.NOT_LEADER, null);
        electing.refusals.set(3);

        assertThat(join(electing.address()).getRole()).isEqualTo("compute");
    }

    @Test
    void aRefusalIsToldAlsoIfOtherControllersAreDead() throws IOException {
        var refusing = door();
        refusing.refuse(ErrorCode.UNKNOWN_TOKEN, null);

        assertThatThrownBy(() -> join(dead(), refusing.address(), dead()))
                .isInstanceOf(ControllerException.class)
                .hasMessage("told: UNKNOWN_TOKEN");
    }

    @Test
    void aHostDoesNotWaitForControllersOfWhichNoneIsThere() throws IOException {
        var dead = dead();

        assertThatThrownBy(() -> join(dead))
                .isInstanceOf(ControllerException.class)
                .hasMessageContaining("Connection refused")
                .hasMessageNotContaining("finishConnect");
    }

    private JoinReply join(HostAndPort... controllers) {
        return new JoiningClient(channels, List.of(controllers))
                .join(
                        JoinRequest.getDefaultInstance(),
                        System.nanoTime() + Duration.ofSeconds(50).toNanos());
    }

    private Door door() throws IOException {
        var door = new Door();
        doors.add(door);
        return door;
    }

    private static HostAndPort dead() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return new HostAndPort("127.0.0.1", socket.getLocalPort());
        }
    }

    /// Takes everybody in, or refuses as a test says.
    private static final class Door extends JoiningGrpc.JoiningImplBase {
        private final Server server;
        private volatile @Nullable ErrorCode code;
        private volatile @Nullable HostAndPort leader;
        private final AtomicInteger refusals = new AtomicInteger(Integer.MAX_VALUE);

        Door() throws IOException {
            server =
                    NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                            .addService(this)
                            .build()
                            .start();
        }

        void refuse(ErrorCode why, @Nullable HostAndPort named) {
            code = why;
            leader = named;
        }

        HostAndPort address() {
            return new HostAndPort("127.0.0.1", server.getPort());
        }

        @Override
        public void join(JoinRequest request, StreamObserver<JoinReply> reply) {
            var why = code;
            if (why == null || refusals.getAndDecrement() <= 0) {
                reply.onNext(JoinReply.newBuilder().setRole("compute").build());
                reply.onCompleted();
                return;
            }
            var trailers = new Metadata();
            trailers.put(CallerHeaders.ERROR_CODE, why.name());
            var to = leader;
            if (to != null) {
                trailers.put(CallerHeaders.LEADER, to.toString());
            }
            reply.onError(
                    Status.UNAVAILABLE
                            .withDescription("told: " + why)
                            .asRuntimeException(trailers));
        }
    }
}
