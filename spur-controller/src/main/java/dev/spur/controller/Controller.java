package dev.spur.controller;

import com.google.protobuf.ByteString;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.RenewCertificateRequest;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.cluster.Reconfiguration;
import dev.spur.controller.cluster.Settings;
import dev.spur.controller.member.Clocks;
import dev.spur.controller.member.LastController;
import dev.spur.controller.member.Neighbours;
import dev.spur.controller.member.Seat;
import dev.spur.controller.member.Seats;
import dev.spur.controller.raft.ControllersOnly;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.Membership;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.controller.raft.RatisLog;
import dev.spur.controller.raft.Survivor;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.LaunchCredentials;
import dev.spur.runtime.identity.PeerHost;
import dev.spur.runtime.identity.SecretFiles;
import dev.spur.runtime.identity.SigningKeys;
import dev.spur.runtime.identity.Tokens;
import dev.spur.runtime.process.HeapKeeper;
import dev.spur.runtime.process.PidFile;
import dev.spur.runtime.process.Running;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A controller that serves. Read [#start] from top to bottom to learn what it is made of.
public final class Controller implements Running {
    public static final String VERSION = version();

    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);
    private static final long LOOK_EVERY_SECONDS = 2;
    private static final Duration COLLECT_EVERY = Duration.ofSeconds(1);
    private static final Duration LOOK_AT_LEADERSHIP_EVERY = Duration.ofMillis(100);

    private final List<AutoCloseable> parts = new ArrayList<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private @Nullable Reconfiguration reconfiguration;
    private volatile boolean closing;
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
        SecretFiles.ownDirectory(directory);
        part(PidFile.take(directory.resolve("spurctld.pid"), "spurctld"));

        var seats =
                new Seats(
                        config.controller(),
                        options.listen(),
                        options.replication(),
                        options.name(),
                        directory);
        var seat = seats.take(options.token());
        var ca = ClusterCa.openOrCreate(directory, config.clusterName(), clock);
        var identity =
                LocalIdentities.openOrCreate(
                        ca,
                        directory.resolve("identity"),
                        options.name(),
                        HostRole.CONTROLLER,
                        clock);
        var credentials = LaunchCredentials.openOrCreate(directory);
        var settings =
                new Settings(config, options.configFile(), options.reload(), Users.currentUid());
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
        var spool = part(Spool.open(directory.resolve("spool")));
        var channels =
                part(
                        new Channels(
                                config.auth().tls()
                                        ? new TransportSecurity.Tls(
                                                identity.keyManager(), identity.trustManager())
                                        : new TransportSecurity.Plain()));
        var raft = raftConfig(options, seats, seat, identity, state);
        if (options.alone()) {
            LastController.giveUpTheOthers(new Survivor(raft.directory(), raft.self()), channels);
        }
        RatisLog<Proposal, Result> log =
                part(
                        RatisLog.open(
                                raft,
                                new ProposalCodec(),
                                new ClusterReplica(state, blobs, spool, feed),
                                this::fail));
        times.done("log");
        var membership = log.membership();
        requireSameAddress(membership);
        var leads = log.awaitLeader(patience(membership));
        times.done("leader");
        var neighbours =
                new Neighbours(
                        membership,
                        log::leadership,
                        seat.controllers(),
                        channels,
                        new Clocks(clock, System::nanoTime),
                        System::nanoTime,
                        config.controller().maxClockSkew(),
                        log::stepAside,
                        this::fail);
        log.leadUnless(neighbours::objection);
        var core =
                new ControllerCore(
                        new ControllerCore.Environment(
                                state,
                                feed,
                                log,
                                blobs,
                                spool,
                                ca,
                                credentials,
                                tokens(directory, config, clock, state),
                                settings,
                                membership,
                                neighbours::trouble,
                                directory,
                                clock,
                                calls,
                                scheduler,
                                timer));
        reconfiguration = core.reconfiguration();
        var configured = core.lead();
        log.whileLeading(_ -> core.members().lead(identity.self()));
        var _ =
                timer.scheduleWithFixedDelay(
                        () -> calls.execute(() -> renew(identity, membership, channels, clock)),
                        1,
                        60,
                        TimeUnit.MINUTES);
        var _ =
                timer.scheduleWithFixedDelay(
                        () -> calls.execute(neighbours::look),
                        0,
                        LOOK_EVERY_SECONDS,
                        TimeUnit.SECONDS);
        if (leads) {
            awaitConfiguration(log::leadership, CompletableFuture.anyOf(configured, failure));
        } else {
            neighbours.greet();
        }
        if (failure.isDone()) {
            throw new IllegalStateException(failure.join());
        }
        times.done("configuration");
        var endpoint =
                part(
                        GrpcEndpoint.open(
                                options.listen(),
                                tls.join(),
                                calls,
                                core.connections(),
                                core.interceptors(),
                                core.services()));
        port = endpoint.port();
        times.done("port");
        HeapKeeper.ofThisProcess()
                .map(heap -> new Chore("collecting garbage", heap::look, calls))
                .ifPresent(chore -> chore.every(COLLECT_EVERY, COLLECT_EVERY, timer));
        if (!System.getProperty("spur.rehearsal", "no").equals("no")) {
            part(
                    Rehearsal.start(
                            directory.resolve("rehearsal"),
                            state.snapshot().config(),
                            core.proposals(),
                            () -> log.leadership().isLeading(),
                            clock));
        }
        LOG.atInfo()
                .addKeyValue("cluster", config.clusterName())
                .addKeyValue("address", new HostAndPort(options.listen().host(), port))
                .addKeyValue("state", directory)
                .addKeyValue("took", times)
                .log("controller serves");
        if (!settings.servesEverybody()) {
            LOG.atWarn()
                    .log("started without root: this cluster serves only the user who started it");
        }
    }

    /// A leader serves when its configuration is in force. One that leads no longer has nothing to
    /// wait for, whether it came to that or not: the next leader sees to it.
    static void awaitConfiguration(Supplier<Leadership> leadership, CompletableFuture<?> configured)
            throws InterruptedException {
        while (leadership.get().isLeading()) {
            try {
                configured.get(LOOK_AT_LEADERSHIP_EVERY.toMillis(), TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException _) {
                // Perhaps it leads no longer.
            } catch (ExecutionException e) {
                if (leadership.get().isLeading()) {
                    var cause = e.getCause() == null ? e : e.getCause();
                    throw new IllegalStateException(
                            "the configuration could not be put in force: " + cause.getMessage(),
                            cause);
                }
            }
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
        closing = true;
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

    /// Whatever ends while everything is being ended ends as it should: a log that is closed looks
    /// like one from which this controller was removed.
    void fail(String why) {
        if (closing) {
            return;
        }
        if (failure.complete(why)) {
            LOG.atError().addKeyValue("because", why).log("the controller cannot go on");
        }
        stopped.countDown();
    }

    private <P extends AutoCloseable> P part(P part) {
        parts.add(part);
        return part;
    }

    /// Asks the leader, as every host does, also if that is this one: so that the certificate is on
    /// record.
    private static void renew(
            HostIdentity identity, Membership membership, Channels channels, InstantSource clock) {
        if (!identity.isDueForRenewal(clock.instant())) {
            return;
        }
        var request =
                RenewCertificateRequest.newBuilder()
                        .setCsr(ByteString.copyFrom(identity.renewalRequest()))
                        .build();
        try {
            var addresses =
                    membership.members().stream()
                            .map(member -> HostAndPort.parse(member.clientAddress()))
                            .toList();
            var renewed =
                    new ControllerClient(channels, addresses, new CallerIdentity.Host())
                            .call(leader -> leader.renewCertificate(request));
            identity.renew(renewed.getCertificate().toByteArray());
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("the controller's certificate could not be renewed");
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

    private static RaftConfig raftConfig(
            ControllerOptions options,
            Seats seats,
            Seat seat,
            HostIdentity identity,
            ReplicatedState state) {
        var limits =
                new RaftConfig.Limits(
                        RaftConfig.Limits.DEFAULTS.waitingProposals(),
                        RaftConfig.Limits.DEFAULTS.entryBytes(),
                        options.config().controller().snapshotAfterEntries(),
                        RaftConfig.Limits.DEFAULTS.segmentBytes());
        var listen = seats.replicationListen(seat);
        var tls =
                listen == null
                        ? null
                        : new RaftConfig.Tls(
                                listen,
                                identity.keyManager(),
                                new ControllersOnly(
                                        identity.trustManager(), peer -> isRevoked(state, peer)));
        var founders = seats.founders(seat);
        var self = seats.self(seat);
        return new RaftConfig(
                options.stateDirectory().resolve("raft"), self, founders, tls, limits);
    }

    private static boolean isRevoked(ReplicatedState state, PeerHost peer) {
        return state.snapshot()
                .credentials()
                .isRevoked(peer.host(), peer.serial().toString(), peer.issuedAt());
    }

    /// Among several, a controller is known to the log by its replication address for good.
    private static void requireSameAddress(Membership membership) {
        var self = membership.self();
        for (var member : membership.members()) {
            if (member.id().equals(self.id())
                    && membership.members().size() > 1
                    && !member.address().equals(self.address())) {
                throw new IllegalArgumentException(
                        "the other controllers reach this one at %s and not at %s: set controller.raft_listen_addr back, or remove it (spur cluster remove %s) and let it join again"
                                .formatted(member.address(), self.address(), self.name()));
            }
        }
    }

    /// One alone leads in a moment. One of several must serve also while it waits for the others:
    /// to say so.
    private static Duration patience(Membership membership) {
        var members = membership.members();
        var isAlone = members.size() == 1 && members.getFirst().id().equals(membership.self().id());
        return isAlone ? Duration.ofSeconds(60) : Duration.ofSeconds(2);
    }

    private static java.util.concurrent.ThreadFactory thread(String name) {
        return Thread.ofPlatform().name(name).daemon().factory();
    }

    private static String version() {
        var packaged = Controller.class.getPackage().getImplementationVersion();
        return packaged == null ? "0.1.0" : packaged.replace("-SNAPSHOT", "");
    }
}
