package dev.spur.controller.raft;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.rpc.SupportedRpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The log on Apache Ratis, fed in process.
///
/// Group commit: one thread takes whatever waits, writes it as one entry, and takes the next when
/// that entry is durable and applied. So one fsync serves all that arrived during the one before
/// it, and at most one entry of ours is unacknowledged at any moment.
public final class RatisLog<C, R> implements ReplicatedLog<C, R> {
    private static final Logger LOG = LoggerFactory.getLogger(RatisLog.class);
    private static final RaftGroupId GROUP =
            RaftGroupId.valueOf(UUID.nameUUIDFromBytes("spur".getBytes(StandardCharsets.UTF_8)));
    private static final long SNAPSHOT_ASKED_EVERY = 1_000;
    private static final int PROPOSALS_PER_ENTRY = 2_000;
    private static final long READY_WITHIN_SECONDS = 60;

    private final RaftConfig config;
    private final EntryCodec<C> codec;
    private final RaftServer server;
    private final LeaderTasks tasks;
    private final RatisReplica<C, R> replica;
    private final LinkedBlockingQueue<Waiting<C, R>> queue;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private final Thread writer;
    private volatile boolean closed;

    /// A proposal and who waits for its answer.
    record Waiting<C, R>(C proposal, CompletableFuture<R> answer) {}

    private RatisLog(
            RaftConfig config,
            EntryCodec<C> codec,
            RaftServer server,
            RatisReplica<C, R> replica,
            LeaderTasks tasks) {
        this.config = config;
        this.codec = codec;
        this.server = server;
        this.replica = replica;
        this.tasks = tasks;
        this.queue = new LinkedBlockingQueue<>(config.limits().waitingProposals());
        this.writer = Thread.ofPlatform().name("spur-log-writer").daemon().unstarted(this::write);
    }

    /// Opens the log: checks what is on disk, restores the replica from snapshot and log, joins the
    /// peers.
    ///
    /// @param failed told when the log can no longer be written or applied: the process should end
    public static <C, R> RatisLog<C, R> open(
            RaftConfig config, EntryCodec<C> codec, Replica<C, R> replica, Runnable failed)
            throws IOException {
        var storage = config.directory().resolve(GROUP.getUuid().toString());
        var snapshots = new SnapshotFiles(storage.resolve("sm"), config.peers().size() > 1);
        LogInspection.inspect(storage.resolve("current"), snapshots.newestIndex());

        var tasks = new LeaderTasks(config);
        var machine =
                new RatisReplica<>(
                        codec, replica, snapshots, tasks, failed, config.limits().snapshotEvery());
        var isNew = !Files.exists(storage.resolve("current").resolve("raft-meta"));
        Files.createDirectories(config.directory());
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
        tasks.observe(server.getDivision(GROUP));
        var log = new RatisLog<>(config, codec, server, machine, tasks);
        log.writer.start();
        return log;
    }

    @Override
    public CompletableFuture<R> propose(C proposal) {
        var waiting = new Waiting<C, R>(proposal, new CompletableFuture<>());
        if (closed) {
            waiting.answer().completeExceptionally(new NotLeaderException(null));
        } else if (leadership() instanceof Leadership.Following(var leader)) {
            waiting.answer().completeExceptionally(new NotLeaderException(leader));
        } else if (!queue.offer(waiting)) {
            waiting.answer().completeExceptionally(new BusyException());
        }
        return waiting.answer();
    }

    @Override
    public void whileLeading(LeaderTask task) {
        tasks.add(task);
    }

    @Override
    public Leadership leadership() {
        return tasks.leadership();
    }

    /// Waits until somebody leads; true if it is this controller.
    public boolean awaitLeader() throws InterruptedException {
        return tasks.awaitLeader(READY_WITHIN_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        tasks.close();
        writer.interrupt();
        try {
            writer.join(TimeUnit.SECONDS.toMillis(5));
            server.close();
            replica.awaitSnapshot();
        } catch (IOException e) {
            throw new UncheckedIOException("closing the replicated log", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write() {
        var entry = new ArrayList<Waiting<C, R>>();
        while (!closed) {
            try {
                entry.clear();
                entry.add(queue.take());
                queue.drainTo(entry, PROPOSALS_PER_ENTRY - 1);
                writeAll(entry);
            } catch (InterruptedException e) {
                break;
            }
        }
        queue.drainTo(entry);
        entry.forEach(
                waiting -> waiting.answer().completeExceptionally(new NotLeaderException(null)));
    }

    /// Several entries only if the bytes would not fit in one.
    private void writeAll(List<Waiting<C, R>> all) throws InterruptedException {
        var limit = config.limits().entryBytes() - 1024;
        var bytes = new EntryBytes();
        var members = new ArrayList<Waiting<C, R>>(all.size());
        for (var waiting : all) {
            var start = bytes.size();
            try {
                codec.write(waiting.proposal(), bytes.data());
            } catch (IOException | RuntimeException e) {
                bytes.cutTo(start);
                waiting.answer().completeExceptionally(e);
                continue;
            }
            if (bytes.size() <= limit) {
                members.add(waiting);
            } else if (start == 0) {
                bytes.cutTo(0);
                waiting.answer()
                        .completeExceptionally(
                                new IllegalArgumentException(
                                        "the request is larger than %d MiB"
                                                .formatted(config.limits().entryBytes() >> 20)));
            } else {
                var overflow = bytes.tail(start);
                bytes.cutTo(start);
                writeEntry(members, bytes);
                members = new ArrayList<>();
                bytes = overflow;
                members.add(waiting);
            }
        }
        if (!members.isEmpty()) {
            writeEntry(members, bytes);
        }
    }

    private void writeEntry(List<Waiting<C, R>> members, EntryBytes bytes)
            throws InterruptedException {
        var entry = new ProposedEntry<>(List.copyOf(members), bytes.toByteString());
        try {
            var reply = submit(entry);
            if (!reply.isSuccess()) {
                fail(members, reply.getException());
            }
        } catch (ExecutionException e) {
            fail(members, e.getCause());
        } catch (IOException | RuntimeException e) {
            fail(members, e);
        } catch (InterruptedException e) {
            fail(members, e);
            throw e;
        }
    }

    private RaftClientReply submit(ProposedEntry<C, R> entry)
            throws IOException, ExecutionException, InterruptedException {
        while (true) {
            var request =
                    RaftClientRequest.newBuilder()
                            .setClientId(client)
                            .setServerId(server.getId())
                            .setGroupId(GROUP)
                            .setCallId(calls.incrementAndGet())
                            .setMessage(entry)
                            .setType(RaftClientRequest.writeRequestType())
                            .build();
            var reply = server.submitClientRequestAsync(request).get();
            if (!(reply.getException() instanceof LeaderNotReadyException)) {
                return reply;
            }
            Thread.sleep(1); // elected, and about to apply what the leader before it had committed
        }
    }

    private void fail(List<Waiting<C, R>> members, @Nullable Throwable cause) {
        var error =
                cause instanceof org.apache.ratis.protocol.exceptions.NotLeaderException
                        ? new NotLeaderException(tasks.leaderAddress())
                        : new IllegalStateException(
                                "the command may or may not have been recorded; ask again", cause);
        if (!closed) {
            LOG.atWarn()
                    .addKeyValue("proposals", members.size())
                    .setCause(cause)
                    .log("log entry not acknowledged");
        }
        members.forEach(waiting -> waiting.answer().completeExceptionally(error));
    }

    private static RaftGroup group(RaftConfig config) {
        return RaftGroup.valueOf(GROUP, config.peers().stream().map(RatisLog::peer).toList());
    }

    private static RaftPeer peer(RaftConfig.Peer peer) {
        return RaftPeer.newBuilder()
                .setId(RaftPeerId.valueOf(peer.id()))
                .setAddress(peer.address())
                .build();
    }

    private static RaftProperties properties(RaftConfig config) {
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
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(p, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(p, true);
        // Asked often; the replica decides, by entries and bytes.
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(
                p, Math.min(limits.snapshotEvery(), SNAPSHOT_ASKED_EVERY));
        RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(p, false);
        RaftServerConfigKeys.RetryCache.setExpiryTime(p, TimeDuration.valueOf(2, TimeUnit.SECONDS));
        if (config.peers().size() == 1) {
            RaftConfigKeys.Rpc.setType(p, new LoopbackRpc());
            RaftServerConfigKeys.Rpc.setTimeoutMin(
                    p, TimeDuration.valueOf(40, TimeUnit.MILLISECONDS));
            RaftServerConfigKeys.Rpc.setTimeoutMax(
                    p, TimeDuration.valueOf(60, TimeUnit.MILLISECONDS));
        } else {
            RaftConfigKeys.Rpc.setType(p, SupportedRpcType.GRPC);
            var address = config.self().address();
            var colon = address.lastIndexOf(':');
            GrpcConfigKeys.Server.setHost(p, address.substring(0, colon));
            GrpcConfigKeys.Server.setPort(p, Integer.parseInt(address.substring(colon + 1)));
            RaftServerConfigKeys.Rpc.setTimeoutMin(
                    p, TimeDuration.valueOf(500, TimeUnit.MILLISECONDS));
            RaftServerConfigKeys.Rpc.setTimeoutMax(
                    p, TimeDuration.valueOf(900, TimeUnit.MILLISECONDS));
        }
        return p;
    }

    private static Parameters parameters(RaftConfig config) {
        var parameters = new Parameters();
        var tls = config.tls();
        if (config.peers().size() > 1 && tls != null) {
            GrpcConfigKeys.TLS.setConf(parameters, new GrpcTlsConfig(tls.key(), tls.trust(), true));
        }
        return parameters;
    }

    /// The bytes of an entry while they are collected.
    private static final class EntryBytes {
        private final Buffer buffer = new Buffer();
        private final DataOutputStream data = new DataOutputStream(buffer);

        DataOutputStream data() {
            return data;
        }

        int size() {
            return buffer.size();
        }

        void cutTo(int size) {
            buffer.cutTo(size);
        }

        EntryBytes tail(int from) {
            var tail = new EntryBytes();
            buffer.copyFrom(from, tail.buffer);
            return tail;
        }

        ByteString toByteString() {
            return buffer.toByteString();
        }

        private static final class Buffer extends ByteArrayOutputStream {
            Buffer() {
                super(4096);
            }

            void cutTo(int size) {
                count = size;
            }

            void copyFrom(int from, Buffer to) {
                to.write(buf, from, count - from);
            }

            ByteString toByteString() {
                return ByteString.copyFrom(buf, 0, count);
            }
        }
    }
}
