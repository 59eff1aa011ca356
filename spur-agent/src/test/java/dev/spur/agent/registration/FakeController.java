package dev.spur.agent.registration;

import com.google.protobuf.ByteString;
import dev.spur.agent.launch.Launches;
import dev.spur.api.client.CallerHeaders;
import dev.spur.api.v1.AgentLinkGrpc;
import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.ReportSeen;
import dev.spur.api.v1.Welcome;
import dev.spur.model.notation.HostAndPort;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A controller that takes every agent in and does as the test says.
public final class FakeController extends AgentLinkGrpc.AgentLinkImplBase implements AutoCloseable {
    private final LinkedBlockingQueue<AgentMessage> received = new LinkedBlockingQueue<>();
    private final Server server;
    private volatile @Nullable StreamObserver<ControllerMessage> agent;
    private volatile long epoch = 1;
    private volatile @Nullable StatusRuntimeException refusal;
    private final Semaphore refusals = new Semaphore(0);

    public FakeController() throws IOException {
        server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(this)
                        .build()
                        .start();
    }

    public HostAndPort address() {
        return new HostAndPort("127.0.0.1", server.getPort());
    }

    /// Refuses from now on, as a controller does that knows who leads.
    public void follow(String leader) {
        var trailers = new Metadata();
        trailers.put(CallerHeaders.LEADER, leader);
        refusal = Status.UNAVAILABLE.asRuntimeException(trailers);
    }

    public void awaitRefusal() throws InterruptedException {
        refusals.acquire();
    }

    /// Takes agents in from now on.
    public void lead() {
        refusal = null;
    }

    @Override
    public StreamObserver<AgentMessage> connect(StreamObserver<ControllerMessage> responses) {
        var refused = refusal;
        if (refused != null) {
            refusals.release();
            responses.onError(refused);
            return new ForwardNothing();
        }
        agent = responses;
        return new StreamObserver<>() {
            @Override
            public void onNext(AgentMessage message) {
                received.add(message);
                if (message.hasRegister()) {
                    send(
                            ControllerMessage.newBuilder()
                                    .setWelcome(
                                            Welcome.newBuilder()
                                                    .setCluster("test")
                                                    .setHeartbeatSeconds(1)
                                                    .setNodeKey(
                                                            ByteString.copyFrom(
                                                                    Launches.KEY.reveal()))));
                }
            }

            @Override
            public void onError(Throwable error) {}

            @Override
            public void onCompleted() {
                responses.onCompleted();
            }
        };
    }

    /// Speaks as a leader of another term from now on.
    public void epoch(long number) {
        epoch = number;
    }

    public void send(ControllerMessage.Builder message) {
        var to = agent;
        if (to == null) {
            throw new IllegalStateException("no agent is connected");
        }
        synchronized (to) {
            to.onNext(message.setEpoch(epoch).build());
        }
    }

    public void acknowledge(long sequence) {
        send(
                ControllerMessage.newBuilder()
                        .setReportSeen(ReportSeen.newBuilder().setSequence(sequence)));
    }

    /// Waits for a message; those before it are passed over.
    public AgentMessage await(Predicate<AgentMessage> wanted) {
        try {
            while (true) {
                var message = received.poll(30, TimeUnit.SECONDS);
                if (message == null) {
                    throw new AssertionError("the agent said nothing of the kind");
                }
                if (wanted.test(message)) {
                    return message;
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class ForwardNothing implements StreamObserver<AgentMessage> {
        @Override
        public void onNext(AgentMessage message) {}

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onCompleted() {}
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
