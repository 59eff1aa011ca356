package dev.spur.testkit.bench;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.spur.api.v1.AgentLinkGrpc;
import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.Heartbeat;
import dev.spur.api.v1.JobGone;
import dev.spur.api.v1.Register;
import dev.spur.api.v1.SignedLaunch;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.StepReport;
import dev.spur.api.v1.StepReportKind;
import dev.spur.api.v1.TerminateJob;
import dev.spur.model.notation.HostAndPort;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Agents that differ from real ones only in what they run: nothing. A job ends the moment it
/// begins. Each has a TLS connection and a stream of its own; all share two event loops, one timer
/// and no other threads.
final class SimulatedAgents implements AutoCloseable {
    /// More at once only fill the controller's queue of handshakes, which time out after 10 s.
    private static final int CONNECTING_AT_ONCE = 64;

    private static final Duration WELCOME_WITHIN = Duration.ofMinutes(10);

    private final HostAndPort address;
    private final SslContext tls;
    private final ScheduledExecutorService pacemaker = Executors.newSingleThreadScheduledExecutor();
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final Semaphore connecting = new Semaphore(CONNECTING_AT_ONCE);
    private final AtomicInteger welcomed = new AtomicInteger();
    private final AtomicInteger heartbeats = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicReference<@Nullable String> firstLoss = new AtomicReference<>();

    private SimulatedAgents(HostAndPort address, SslContext tls) {
        this.address = address;
        this.tls = tls;
    }

    /// Returns when every node of the cluster is registered.
    static SimulatedAgents connect(ManyNodes cluster) throws IOException, InterruptedException {
        var agents = new SimulatedAgents(cluster.address(), cluster.hosts().context());
        try {
            for (var name : cluster.names()) {
                agents.connecting.acquire();
                agents.new Agent(name).connect(agents.channel(name));
            }
            agents.awaitWelcome(cluster.names().size());
            return agents;
        } catch (IOException | InterruptedException | RuntimeException e) {
            agents.close();
            throw e;
        }
    }

    private void awaitWelcome(int count) throws IOException, InterruptedException {
        var deadline = System.nanoTime() + WELCOME_WITHIN.toNanos();
        while (welcomed.get() < count) {
            if (lost.get() > 0 || System.nanoTime() > deadline) {
                throw new IOException(
                        "%d of %d agents registered; %s"
                                .formatted(welcomed.get(), count, losses()));
            }
            Thread.sleep(Duration.ofMillis(10));
        }
    }

    private ManagedChannel channel(String name) {
        var channel =
                NettyChannelBuilder.forAddress(
                                new InetSocketAddress(address.host(), address.port()))
                        .eventLoopGroup(loops)
                        .channelType(NioSocketChannel.class)
                        .directExecutor()
                        .sslContext(tls)
                        .overrideAuthority(name)
                        .build();
        channels.add(channel);
        return channel;
    }

    int heartbeats() {
        return heartbeats.get();
    }

    /// In words, for the end of a measurement.
    String losses() {
        var first = firstLoss.get();
        return first == null
                ? "no stream broke"
                : "%d streams broke, the first: %s".formatted(lost.get(), first);
    }

    /// One node, as far as the controller can tell.
    private final class Agent implements StreamObserver<ControllerMessage> {
        private final String name;
        private @Nullable StreamObserver<AgentMessage> toController;
        private boolean isWelcome;
        private long reports;

        Agent(String name) {
            this.name = name;
        }

        void connect(ManagedChannel channel) {
            var stream = AgentLinkGrpc.newStub(channel).connect(this);
            synchronized (this) {
                toController = stream;
            }
            send(AgentMessage.newBuilder().setRegister(registration()));
        }

        private Register registration() {
            return Register.newBuilder()
                    .setNode(name)
                    .setAddress("127.0.0.1:6818")
                    .setHostname(name)
                    .setCpus(ManyNodes.CPUS)
                    .setBoards(1)
                    .setSockets(1)
                    .setCoresPerSocket(ManyNodes.CPUS)
                    .setThreadsPerCore(1)
                    .setMemoryMb(ManyNodes.MEMORY_MB)
                    .setTmpMb(ManyNodes.MEMORY_MB)
                    .setBootId("boot-" + name)
                    .setArch("x86_64")
                    .setOs("Linux")
                    .setVersion("0.1.0")
                    .build();
        }

        private synchronized void send(AgentMessage.Builder message) {
            if (toController != null) {
                toController.onNext(message.build());
            }
        }

        @Override
        public void onNext(ControllerMessage message) {
            switch (message.getMessageCase()) {
                case WELCOME -> welcome(message.getWelcome().getHeartbeatSeconds());
                case LAUNCH -> launch(message.getLaunch());
                case TERMINATE -> terminate(message.getTerminate());
                case SIGNAL, REPORT_SEEN, TERMS, MESSAGE_NOT_SET -> {}
            }
        }

        private void welcome(int heartbeatSeconds) {
            isWelcome = true;
            welcomed.incrementAndGet();
            connecting.release();
            var interval = TimeUnit.SECONDS.toMillis(heartbeatSeconds);
            var _ =
                    pacemaker.scheduleAtFixedRate(
                            this::heartbeat,
                            ThreadLocalRandom.current().nextLong(interval),
                            interval,
                            TimeUnit.MILLISECONDS);
        }

        private void heartbeat() {
            heartbeats.incrementAndGet();
            var load = ThreadLocalRandom.current().nextInt(100 * ManyNodes.CPUS);
            send(
                    AgentMessage.newBuilder()
                            .setHeartbeat(
                                    Heartbeat.newBuilder()
                                            .setLoadHundredths(load)
                                            .setFreeMemMb(ManyNodes.MEMORY_MB / 2)));
        }

        private void launch(SignedLaunch signed) {
            try {
                var launch = StepLaunch.parseFrom(signed.getLaunch());
                report(launch, StepReportKind.STEP_STARTED);
                report(launch, StepReportKind.STEP_ENDED);
            } catch (InvalidProtocolBufferException e) {
                onError(e);
            }
        }

        private void report(StepLaunch launch, StepReportKind kind) {
            send(
                    AgentMessage.newBuilder()
                            .setReport(
                                    StepReport.newBuilder()
                                            .setSequence(++reports)
                                            .setKind(kind)
                                            .setNothingLeft(kind == StepReportKind.STEP_ENDED)
                                            .setJobId(launch.getJobId())
                                            .setStepId(launch.getStepId())
                                            .setAttempt(launch.getAttempt())));
        }

        private void terminate(TerminateJob order) {
            send(
                    AgentMessage.newBuilder()
                            .setJobGone(
                                    JobGone.newBuilder()
                                            .setJobId(order.getJobId())
                                            .setAttempt(order.getAttempt())));
        }

        @Override
        public void onError(Throwable cause) {
            firstLoss.compareAndSet(null, name + ": " + cause);
            lost.incrementAndGet();
            synchronized (this) {
                toController = null;
            }
            if (!isWelcome) {
                connecting.release();
            }
        }

        @Override
        public void onCompleted() {
            onError(new IOException("the controller ended the stream"));
        }
    }

    @Override
    public void close() {
        pacemaker.shutdownNow();
        channels.forEach(ManagedChannel::shutdownNow);
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
