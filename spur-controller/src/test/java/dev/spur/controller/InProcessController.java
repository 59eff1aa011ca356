package dev.spur.controller;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.AccountsGrpc;
import dev.spur.api.v1.AgentLinkGrpc;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.JoiningGrpc;
import dev.spur.controller.access.PeerFilter;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.cluster.Settings;
import dev.spur.controller.raft.InMemoryLog;
import dev.spur.controller.raft.Membership;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Result;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.LaunchCredentials;
import dev.spur.runtime.identity.PeerHost;
import dev.spur.runtime.identity.SigningKeys;
import dev.spur.runtime.identity.Tokens;
import io.grpc.Attributes;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerTransportFilter;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/// A whole controller in this process: in-memory log, in-process transport, the rest is real. Each
/// host has its own connection, with the role that its certificate would have.
final class InProcessController implements AutoCloseable {
    static final String CONFIG =
            """
            cluster_name = "test"

            [[partitions]]
            name = "debug"
            default = true
            nodes = "node[1-4]"

            [[nodes]]
            names = "node[1-4]"
            cpus = 4
            memory_mb = 4000
            """;

    private final ExecutorService events = Executors.newSingleThreadExecutor();
    private final ExecutorService scheduler = Executors.newSingleThreadExecutor();
    private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<Server> servers = new ArrayList<>();
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final BlobStore blobs;
    private final Spool spool;
    private final InMemoryLog<Proposal, Result> log;
    private final ControllerCore core;
    private final ClusterCa ca;
    private final Path directory;
    private final String name = "controller-" + System.identityHashCode(this);

    InProcessController(Path directory) throws IOException {
        this(directory, () -> ConfigFile.parse(CONFIG));
    }

    /// @param source what a reload reads
    InProcessController(Path directory, Supplier<ConfigFile> source) throws IOException {
        this(
                directory,
                source,
                Membership.alone(new RaftConfig.Peer("ctl", "localhost:6821", "localhost:6817")));
    }

    /// @param membership who else is a controller, as the log would say
    InProcessController(Path directory, Supplier<ConfigFile> source, Membership membership)
            throws IOException {
        var clock = InstantSource.system();
        this.directory = directory;
        ca = ClusterCa.openOrCreate(directory, "test", clock);
        var state = new ReplicatedState();
        var feed = new EventFeed(state, events);
        blobs = BlobStore.open(directory.resolve("blobs"));
        spool = Spool.open(directory.resolve("spool"));
        log = InMemoryLog.alone(new ProposalCodec(), new ClusterReplica(state, blobs, spool, feed));
        var tokens =
                new Tokens(
                        SigningKeys.openOrCreate(directory, clock.instant()),
                        null,
                        clock,
                        id -> {
                            var token = state.snapshot().credentials().tokens().get(id);
                            return token == null || token.revoked();
                        });
        core =
                new ControllerCore(
                        new ControllerCore.Environment(
                                state,
                                feed,
                                log,
                                blobs,
                                spool,
                                ca,
                                LaunchCredentials.openOrCreate(directory),
                                tokens,
                                new Settings(
                                        source.get().config(), ConfigFile.DEFAULT_PATH, source, 0),
                                membership,
                                () -> "",
                                directory,
                                clock,
                                calls,
                                scheduler,
                                timer));
        core.lead().join();
    }

    /// The controller as a person on a controller host sees it.
    ControllerGrpc.ControllerBlockingStub as(String user, int uid) throws IOException {
        return from(
                HostRole.CONTROLLER,
                "ctl",
                new CallerIdentity.Vouched(uid, uid, user, List.of(uid)));
    }

    ControllerGrpc.ControllerBlockingStub from(HostRole role, String host, CallerIdentity caller)
            throws IOException {
        return from(new PeerHost(host, role, BigInteger.ONE), caller);
    }

    /// Who may use what, as a person on a controller host sees it.
    AccountsGrpc.AccountsBlockingStub accountsAs(String user, int uid) throws IOException {
        var caller = new CallerIdentity.Vouched(uid, uid, user, List.of(uid));
        return AccountsGrpc.newBlockingStub(
                        channel(new PeerHost("ctl", HostRole.CONTROLLER, BigInteger.ONE)))
                .withInterceptors(
                        MetadataUtils.newAttachHeadersInterceptor(CallerHeaders.of(caller)));
    }

    /// @param peer missing: somebody without a certificate, from anywhere
    ControllerGrpc.ControllerBlockingStub from(@Nullable PeerHost peer, CallerIdentity caller)
            throws IOException {
        return ControllerGrpc.newBlockingStub(channel(peer))
                .withInterceptors(
                        MetadataUtils.newAttachHeadersInterceptor(CallerHeaders.of(caller)));
    }

    PretendAgent agent(String node) throws IOException {
        return agentThatCallsItself(node, node);
    }

    PretendAgent agentThatCallsItself(String host, String node) throws IOException {
        var channel = channel(new PeerHost(host, HostRole.COMPUTE, BigInteger.TWO));
        return new PretendAgent(node, AgentLinkGrpc.newStub(channel));
    }

    /// As a host without a certificate sees the controller.
    JoiningGrpc.JoiningBlockingStub fromOutside() throws IOException {
        return JoiningGrpc.newBlockingStub(channel(null));
    }

    /// The real port, with TLS.
    GrpcEndpoint listen() throws IOException {
        var identity =
                LocalIdentities.openOrCreate(
                        ca,
                        directory.resolve("ctl"),
                        "ctl",
                        HostRole.CONTROLLER,
                        InstantSource.system());
        return GrpcEndpoint.open(
                new HostAndPort("127.0.0.1", 0),
                GrpcEndpoint.tls(identity),
                calls,
                core.connections(),
                core.interceptors(),
                core.services());
    }

    TransportSecurity identity(String host, HostRole role) throws IOException {
        var identity =
                LocalIdentities.openOrCreate(
                        ca, directory.resolve(host), host, role, InstantSource.system());
        return new TransportSecurity.Tls(identity.keyManager(), identity.trustManager());
    }

    /// By which a host without a certificate knows the cluster.
    TrustManager trust() throws IOException {
        return LocalIdentities.openOrCreate(
                        ca,
                        directory.resolve("ctl"),
                        "ctl",
                        HostRole.CONTROLLER,
                        InstantSource.system())
                .trustManager();
    }

    private ManagedChannel channel(@Nullable PeerHost peer) throws IOException {
        var address = name + "-" + servers.size();
        var builder =
                InProcessServerBuilder.forName(address)
                        .executor(calls)
                        .addTransportFilter(
                                new ServerTransportFilter() {
                                    @Override
                                    public Attributes transportReady(Attributes attributes) {
                                        return peer == null
                                                ? attributes
                                                : attributes.toBuilder()
                                                        .set(PeerFilter.PEER, peer)
                                                        .build();
                                    }
                                });
        core.interceptors().reversed().forEach(builder::intercept);
        core.services().forEach(builder::addService);
        servers.add(builder.build().start());
        var channel = InProcessChannelBuilder.forName(address).build();
        channels.add(channel);
        return channel;
    }

    @Override
    public void close() throws IOException {
        log.close();
        channels.forEach(ManagedChannel::shutdownNow);
        servers.forEach(Server::shutdownNow);
        List.of(timer, scheduler, events, calls).forEach(ExecutorService::shutdownNow);
        blobs.close();
    }
}
