package dev.spur.controller;

import dev.spur.controller.blob.BlobKeeper;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.cluster.Reconfiguration;
import dev.spur.controller.cluster.Settings;
import dev.spur.controller.raft.ControllersOnly;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.controller.raft.RatisLog;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.LaunchCredentials;
import dev.spur.runtime.identity.SigningKeys;
import dev.spur.runtime.identity.Tokens;
import dev.spur.runtime.process.PidFile;
import dev.spur.runtime.process.Running;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A controller that serves. Read [#start] from top to bottom to learn what it is made of.
public final class Controller implements Running {
    public static final String VERSION = version();

    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);
    private static final long COLLECT_EVERY_MINUTES = 5;

    private final List<AutoCloseable> parts = new ArrayList<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private @Nullable Reconfiguration reconfiguration;
    private int port;

    private Controller() {}

    public static Controller start(ControllerOptions options)
            throws IOException, InterruptedException {
        var controller = new Controller();
        try {
            controller.open(options);
            return controller;
        } catch (IOException | InterruptedException | RuntimeException e) {
            controller.close();
            throw e;
        }
    }

    private void open(ControllerOptions options) throws IOException, InterruptedException {
        var times = StartTimes.sinceProcessStart();
        var config = options.config();
        var clock = options.clock();
        var directory = options.stateDirectory();
        Files.createDirectories(directory);
        part(PidFile.take(directory.resolve("spurctld.pid"), "spurctld"));

        var ca = ClusterCa.openOrCreate(directory, config.clusterName(), clock);
        var identity =
                LocalIdentities.openOrCreate(
                        ca,
                        directory.resolve("identity"),
                        ThisHost.shortName(),
                        HostRole.CONTROLLER,
                        clock);
        var credentials = LaunchCredentials.openOrCreate(directory);
        var settings = new Settings(config, options.reload(), Users.currentUid());
        times.done("identity");

        var events = part(Executors.newSingleThreadExecutor(thread("spur-events")));
        var scheduler = part(Executors.newSingleThreadExecutor(thread("spur-scheduler")));
        var timer = part(Executors.newSingleThreadScheduledExecutor(thread("spur-timer")));
        var calls = part(Executors.newVirtualThreadPerTaskExecutor());

        // Loading TLS takes as long as opening the log: a start does both at once.
        var tls =
                config.auth().tls()
                        ? CompletableFuture.supplyAsync(() -> GrpcEndpoint.tls(identity), calls)
                        : CompletableFuture.<@Nullable SslContext>completedFuture(null);

        var state = new ReplicatedState();
        var feed = new EventFeed(state, events);
        var blobs = part(BlobStore.open(directory.resolve("blobs")));
        var raft = raftConfig(options, identity);
        RatisLog<Proposal, Result> log =
                part(
                        RatisLog.open(
                                raft,
                                new ProposalCodec(),
                                new ClusterReplica(state, blobs, feed),
                                () -> fail("the log failed")));
        times.done("log");
        var leads = log.awaitLeader();
        times.done("leader");
        var core =
                new ControllerCore(
                        new ControllerCore.Environment(
                                state,
                                feed,
                                log,
                                blobs,
                                ca,
                                credentials,
                                tokens(directory, config, clock, state),
                                settings,
                                raft,
                                directory,
                                clock,
                                calls,
                                scheduler,
                                timer));
        reconfiguration = core.reconfiguration();
        var configured = core.lead();
        var _ =
                timer.scheduleWithFixedDelay(
                        new BlobKeeper(blobs, state),
                        COLLECT_EVERY_MINUTES,
                        COLLECT_EVERY_MINUTES,
                        TimeUnit.MINUTES);
        var _ =
                timer.scheduleWithFixedDelay(
                        () -> renew(identity, ca, clock), 1, 60, TimeUnit.MINUTES);
        if (leads) {
            configured.join();
        }
        times.done("configuration");
        var endpoint =
                part(
                        GrpcEndpoint.open(
                                options.listen(),
                                tls.join(),
                                calls,
                                core.interceptors(),
                                core.services()));
        port = endpoint.port();
        times.done("port");
        LOG.atInfo()
                .addKeyValue("cluster", config.clusterName())
                .addKeyValue("address", options.listen().host() + ":" + port)
                .addKeyValue("state", directory)
                .addKeyValue("took", times)
                .log("controller serves");
        if (!settings.servesEverybody()) {
            LOG.atWarn()
                    .log("started without root: this cluster serves only the user who started it");
        }
    }

    /// The port that is listened on, also if any was asked for.
    public int port() {
        return port;
    }

    @Override
    public void awaitTermination() throws InterruptedException {
        stopped.await();
        if (failure.isDone()) {
            throw new IllegalStateException(failure.join());
        }
    }

    @Override
    public void reload() {
        var configuring = reconfiguration;
        if (configuring == null) {
            return;
        }
        try {
            var reply = configuring.reload("", Actor.CLUSTER);
            LOG.atInfo()
                    .addKeyValue("applied", reply.getAppliedList())
                    .addKeyValue("needRestart", reply.getNeedRestartList())
                    .log("configuration read again");
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue("because", e.getMessage()).log("configuration not changed");
        }
    }

    /// In reverse order: take no more requests first, close the log and what it needs last.
    @Override
    public synchronized void close() {
        for (var part : parts.reversed()) {
            try {
                switch (part) {
                    case ExecutorService executor -> executor.shutdownNow();
                    default -> part.close();
                }
            } catch (Exception e) {
                LOG.atWarn().setCause(e).log("a part of the controller did not end well");
            }
        }
        parts.clear();
        stopped.countDown();
    }

    private void fail(String why) {
        failure.complete(why + "; see the log of this controller");
        stopped.countDown();
    }

    private <P extends AutoCloseable> P part(P part) {
        parts.add(part);
        return part;
    }

    private static void renew(HostIdentity identity, ClusterCa ca, InstantSource clock) {
        if (identity.isDueForRenewal(clock.instant())) {
            try {
                identity.renew(ca.renew(identity.self(), identity.renewalRequest()).getEncoded());
            } catch (java.security.cert.CertificateEncodingException | RuntimeException e) {
                LOG.atError().setCause(e).log("the controller's certificate could not be renewed");
            }
        }
    }

    private static Tokens tokens(
            Path directory, SpurConfig config, InstantSource clock, ReplicatedState state)
            throws IOException {
        return new Tokens(
                SigningKeys.openOrCreate(directory, clock.instant()),
                foreignKey(config),
                clock,
                id -> {
                    var known = state.snapshot().credentials().tokens().get(id);
                    return known == null || known.revoked();
                });
    }

    /// The key itself, or the path of a file that holds it.
    private static byte @Nullable [] foreignKey(SpurConfig config) throws IOException {
        var text = config.auth().jwtKey().reveal();
        if (text.isEmpty()) {
            return null;
        }
        return text.startsWith("/")
                ? Files.readAllBytes(Path.of(text))
                : text.getBytes(StandardCharsets.UTF_8);
    }

    private static RaftConfig raftConfig(ControllerOptions options, HostIdentity identity) {
        var controller = options.config().controller();
        var directory = options.stateDirectory().resolve("raft");
        var limits =
                new RaftConfig.Limits(
                        RaftConfig.Limits.DEFAULTS.waitingProposals(),
                        RaftConfig.Limits.DEFAULTS.entryBytes(),
                        controller.snapshotAfterEntries(),
                        RaftConfig.Limits.DEFAULTS.segmentBytes());
        if (controller.peers().size() <= 1) {
            var alone = RaftConfig.alone(directory, clientAddress(options.listen()));
            return new RaftConfig(directory, alone.self(), alone.peers(), null, limits);
        }
        var peers = new ArrayList<RaftConfig.Peer>();
        for (var i = 0; i < controller.peers().size(); i++) {
            var peer = controller.peers().get(i);
            peers.add(
                    new RaftConfig.Peer(
                            Integer.toString(i + 1),
                            peer.toString(),
                            new HostAndPort(peer.host(), options.listen().port()).toString()));
        }
        var number = controller.nodeId() == null ? 1 : controller.nodeId();
        var tls =
                new RaftConfig.Tls(
                        identity.keyManager(), new ControllersOnly(identity.trustManager()));
        return new RaftConfig(directory, peers.get(number - 1), peers, tls, limits);
    }

    /// An address to connect to: whoever listens everywhere is reached by the host's name.
    private static String clientAddress(HostAndPort listen) {
        var everywhere = listen.host().equals("::") || listen.host().equals("0.0.0.0");
        return everywhere
                ? new HostAndPort(ThisHost.fullName(), listen.port()).toString()
                : listen.toString();
    }

    private static java.util.concurrent.ThreadFactory thread(String name) {
        return Thread.ofPlatform().name(name).daemon().factory();
    }

    private static String version() {
        var packaged = Controller.class.getPackage().getImplementationVersion();
        return packaged == null ? "0.1.0" : packaged.replace("-SNAPSHOT", "");
    }
}
