package dev.spur.controller.raft;

import dev.spur.runtime.identity.SecretFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.rpc.SupportedRpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The log on Apache Ratis, fed in process.
///
/// [EntryWriter] makes the entries; an entry is answered when it is durable and applied.
public final class RatisLog<C, R> implements ReplicatedLog<C, R> {
    private static final Logger LOG = LoggerFactory.getLogger(RatisLog.class);
    private static final RaftGroupId GROUP =
            RaftGroupId.valueOf(UUID.nameUUIDFromBytes("spur".getBytes(StandardCharsets.UTF_8)));
    private static final long SNAPSHOT_ASKED_EVERY = 1_000;
    private static final Duration READY_WITHIN = Duration.ofSeconds(60);
    private static final TimeDuration SOON = TimeDuration.valueOf(40, TimeUnit.MILLISECONDS);
    private static final TimeDuration SOON_AFTER = TimeDuration.valueOf(60, TimeUnit.MILLISECONDS);
    private static final long NO_MAJORITY_AFTER_MILLIS = 10_000;
    private static final long MOST_KEPT_FOR_FOLLOWERS = 2_000;

    /// The leader applies what it was given, the others what they read. In tests the leader reads,
    /// too, and each proposal is compared with what is read of it; otherwise one in a thousand.
    static final boolean CHECKS_ALL = RatisLog.class.desiredAssertionStatus();

    private static final Executor IN_A_MOMENT =
            CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS);

    private final RaftServer server;
    private final RaftServer.Division division;

    /// Past the server, which would pass each request on to a thread of its own and wait for it.
    private final RaftClientAsynchronousProtocol entrance;

    private final LeaderTasks tasks;
    private final ExecutorService changes;
    private final RatisReplica<C, R> replica;
    private final EntryWriter<C, R> writer;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private volatile boolean noMajority;
    private final RatisMembership membership;
    private final AtomicReference<Supplier<Optional<String>>> objections;
    private volatile boolean closed;

    private RatisLog(
            RaftConfig config,
            EntryCodec<C> codec,
            RaftServer server,
            RaftServer.Division division,
            RatisReplica<C, R> replica,
            LeaderTasks tasks,
            AtomicReference<Supplier<Optional<String>>> objections,
            ExecutorService changes,
            Consumer<String> failed) {
        this.objections = objections;
        this.server = server;
        this.division = division;
        this.entrance = (RaftClientAsynchronousProtocol) division;
        this.replica = replica;
        this.tasks = tasks;
        this.changes = changes;
        this.membership = new RatisMembership(server, GROUP, config);
        this.writer =
                new EntryWriter<>(
                        codec, config.limits(), this::record, () -> leadership().refusal(), failed);
    }

    /// Opens the log: checks what is on disk, restores the replica from snapshot and log, joins the
    /// peers.
    ///
    /// @param failed told, in words, when the log can no longer be written or applied: the process
    ///   should end
    public static <C, R> RatisLog<C, R> open(
            RaftConfig config, EntryCodec<C> codec, Replica<C, R> replica, Consumer<String> failed)
            throws IOException {
        SecretFiles.ownDirectory(config.directory());
        var storage = storage(config.directory());
        var snapshots = new SnapshotFiles(storage.resolve("sm"), config.tls() != null);
        LogInspection.inspect(storage.resolve("current"), snapshots.newestIndex());

        var changes =
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().name("spur-leadership").daemon().factory());
        var tasks =
                new LeaderTasks(
                        changes,
                        e -> {
                            LOG.atError().setCause(e).log("a leader's task could not begin");
                            failed.accept("what a leader does could not begin: " + e.getMessage());
                        });
        var objections = new AtomicReference<Supplier<Optional<String>>>(Optional::empty);
        var machine =
                new RatisReplica<>(
                        codec,
                        replica,
                        snapshots,
                        tasks,
                        () -> objections.get().get(),
                        failed,
                        config.limits().snapshotEvery());
        var isNew = !Files.exists(storage.resolve("current").resolve("raft-meta"));
        var server =
                RaftServer.newBuilder()
                        .setServerId(RaftPeerId.valueOf(config.self().id()))
                        .setGroup(group(config))
                        .setProperties(properties(config))
                        .setParameters(parameters(config))
                        .setStateMachine(machine)
                        .setOption(
                                isNew
                                        ? RaftStorage.StartupOption.FORMAT
                                        : RaftStorage.StartupOption.RECOVER)
                        .build();
        server.start();
        return new RatisLog<>(
                config,
                codec,
                server,
                server.getDivision(GROUP),
                machine,
                tasks,
                objections,
                changes,
                failed);
    }

    /// What Ratis drives.
    RatisReplica<C, R> replica() {
        return replica;
    }

    static Path storage(Path directory) {
        return directory.resolve(GROUP.getUuid().toString());
    }

    @Override
    public CompletableFuture<R> propose(C proposal) {
        return proposeInTurn(() -> proposal);
    }

    @Override
    public CompletableFuture<R> proposeInTurn(Supplier<C> proposal) {
        return closed || leads()
                ? writer.propose(proposal)
                : CompletableFuture.failedFuture(leadership().refusal());
    }

    @Override
    public void whileLeading(LeaderTask task) {
        tasks.add(task);
    }

    @Override
    public Leadership leadership() {
        return leads() ? tasks.leadership() : following();
    }

    private boolean leads() {
        return tasks.leadership().isLeading();
    }

    /// Ratis tells of each new leader, but not that the last one is gone. For how long it has been
    /// gone is known only during an election, and there are pauses between elections.
    private Leadership following() {
        var info = division.getInfo();
        if (info.getLeaderId() != null) {
            noMajority = false;
            return tasks.leadership();
        }
        var election = info.getRoleInfoProto();
        if (election.hasCandidateInfo()
                && election.getCandidateInfo().getLastLeaderElapsedTimeMs()
                        > NO_MAJORITY_AFTER_MILLIS) {
            noMajority = true;
        }
        return noMajority
                ? new Leadership.NoMajority(membership.members().size())
                : new Leadership.Following(null);
    }

    /// Waits until somebody leads; true if it is this controller.
    public boolean awaitLeader() throws InterruptedException {
        return awaitLeader(READY_WITHIN);
    }

    /// Waits until somebody leads, or until that took too long; true if it is this controller.
    public boolean awaitLeader(Duration patience) throws InterruptedException {
        return tasks.awaitLeader(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// Asked whenever this controller is elected: if there is an objection it does not lead, and
    /// [Membership#handOver] lets another.
    public void leadUnless(Supplier<Optional<String>> objection) {
        objections.set(objection);
    }

    /// Ends what a leader does here, at once. [Membership#handOver] lets another lead.
    public void stepAside(String because) {
        LOG.atWarn()
                .addKeyValue("because", because)
                .log("this controller must not lead any longer");
        tasks.follows(membership.standing().term(), null);
    }

    public Membership membership() {
        return membership;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        replica.expectEnd();
        tasks.close();
        changes.shutdown();
        writer.close();
        try {
            if (!changes.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.atWarn().log("a leader's task did not end in time");
            }
            server.close();
            replica.awaitLastSnapshot();
        } catch (IOException e) {
            throw new UncheckedIOException("closing the replicated log", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private CompletableFuture<RaftClientReply> record(ProposedEntry<C, R> entry) {
        var request =
                RaftClientRequest.newBuilder()
                        .setClientId(client)
                        .setServerId(server.getId())
                        .setGroupId(GROUP)
                        .setCallId(calls.incrementAndGet())
                        .setMessage(entry)
                        .setType(RaftClientRequest.writeRequestType())
                        .build();
        try {
            return entrance.submitClientRequestAsync(request)
                    .thenCompose(reply -> outcome(entry, reply));
        } catch (IOException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<RaftClientReply> outcome(
            ProposedEntry<C, R> entry, RaftClientReply reply) {
        if (reply.isSuccess()) {
            return CompletableFuture.completedFuture(reply);
        }
        if (reply.getException() instanceof LeaderNotReadyException && !closed) {
            // Elected, and about to apply what the leader before it had committed, perhaps in this
            // thread.
            return CompletableFuture.supplyAsync(() -> record(entry), IN_A_MOMENT)
                    .thenCompose(Function.identity());
        }
        return CompletableFuture.failedFuture(reply.getException());
    }

    private static RaftGroup group(RaftConfig config) {
        var founders =
                config.peers().stream().map(peer -> RatisMembership.toRatis(peer, 0)).toList();
        return RaftGroup.valueOf(GROUP, founders);
    }

    static RaftProperties properties(RaftConfig config) {
        var limits = config.limits();
        var p = new RaftProperties();
        RaftServerConfigKeys.setStorageDir(p, List.of(config.directory().toFile()));
        RaftServerConfigKeys.setStorageFreeSpaceMin(p, SizeInBytes.valueOf("32MB"));
        RaftServerConfigKeys.Log.setSegmentSizeMax(p, SizeInBytes.valueOf(limits.segmentBytes()));
        RaftServerConfigKeys.Log.setPreallocatedSize(
                p, SizeInBytes.valueOf(Math.min(1 << 20, limits.segmentBytes())));
        RaftServerConfigKeys.Log.setSegmentCacheNumMax(p, 2);
        RaftServerConfigKeys.Log.setSegmentCacheSizeMax(p, SizeInBytes.valueOf("32MB"));
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(
                p, SizeInBytes.valueOf(limits.entryBytes()));
        RaftServerConfigKeys.Log.setWriteBufferSize(
                p, SizeInBytes.valueOf(limits.entryBytes() + 8));
        RaftServerConfigKeys.Log.setCorruptionPolicy(
                p, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
        // The commit index is known again as soon as there is a leader; noting it would cost a
        // write per entry.
        RaftServerConfigKeys.Log.setLogMetadataEnabled(p, false);
        RaftServerConfigKeys.Log.setPurgeGap(p, 1);
        // Purged although a follower may not have it yet: an absent one must not fill our disk. It
        // gets the snapshot then; the last entries are kept for one that was away for a moment.
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(p, true);
        RaftServerConfigKeys.Log.setPurgePreservationLogNum(
                p,
                config.tls() == null
                        ? 0
                        : Math.min(limits.snapshotEvery() / 10, MOST_KEPT_FOR_FOLLOWERS));
        // A pause of any length ends a leadership, never the log: others may have led meanwhile,
        // which the term tells.
        RaftServerConfigKeys.setCloseThreshold(p, TimeDuration.valueOf(3650, TimeUnit.DAYS));
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(p, true);
        // Asked often; the replica decides, by entries and bytes.
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(
                p, Math.min(limits.snapshotEvery(), SNAPSHOT_ASKED_EVERY));
        RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(p, false);
        RaftServerConfigKeys.RetryCache.setExpiryTime(p, TimeDuration.valueOf(2, TimeUnit.SECONDS));
        var tls = config.tls();
        if (tls == null) {
            RaftConfigKeys.Rpc.setType(p, new LoopbackRpc());
            RaftServerConfigKeys.Rpc.setTimeoutMin(p, SOON);
            RaftServerConfigKeys.Rpc.setTimeoutMax(p, SOON_AFTER);
        } else {
            RaftConfigKeys.Rpc.setType(p, SupportedRpcType.GRPC);
            GrpcConfigKeys.Server.setHost(p, tls.listen().host());
            GrpcConfigKeys.Server.setPort(p, tls.listen().port());
            RaftServerConfigKeys.Rpc.setTimeoutMin(
                    p, TimeDuration.valueOf(500, TimeUnit.MILLISECONDS));
            RaftServerConfigKeys.Rpc.setTimeoutMax(
                    p, TimeDuration.valueOf(900, TimeUnit.MILLISECONDS));
            if (config.peers().size() == 1) { // nobody else may want to lead
                RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(p, SOON);
                RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(p, SOON_AFTER);
            }
        }
        return p;
    }

    private static Parameters parameters(RaftConfig config) {
        var parameters = new Parameters();
        var tls = config.tls();
        if (tls != null) {
            GrpcConfigKeys.TLS.setConf(parameters, new GrpcTlsConfig(tls.key(), tls.trust(), true));
        }
        return parameters;
    }
}
