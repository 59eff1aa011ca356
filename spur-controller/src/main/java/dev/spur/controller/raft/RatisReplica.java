package dev.spur.controller.raft;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Between Ratis and our [Replica]: decodes entries, answers proposals, writes snapshots in the
/// background. Ratis calls it from its one apply thread.
final class RatisReplica<C, R> extends BaseStateMachine {
    private static final Logger LOG = LoggerFactory.getLogger(RatisReplica.class);

    /// Behind many more bytes of log a restart would take seconds.
    private static final long USUAL_BYTES = 16L << 20;

    /// A snapshot is written after this many times its own size in the log: work that stays in
    /// proportion however large the state is.
    private static final long TIMES_ITS_SIZE = 3;

    private final EntryCodec<C> codec;
    private final Replica<C, R> replica;
    private final SnapshotFiles snapshots;
    private final LeaderTasks tasks;
    private final Runnable failed;
    private final long snapshotEvery;
    private long entriesSince;
    private long bytesSince;
    private @Nullable Thread writing;
    private volatile long written = RaftLog.INVALID_LOG_INDEX;

    RatisReplica(
            EntryCodec<C> codec,
            Replica<C, R> replica,
            SnapshotFiles snapshots,
            LeaderTasks tasks,
            Runnable failed,
            long snapshotEvery) {
        this.codec = codec;
        this.replica = replica;
        this.snapshots = snapshots;
        this.tasks = tasks;
        this.failed = failed;
        this.snapshotEvery = snapshotEvery;
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage)
            throws IOException {
        super.initialize(server, group, storage);
        getLifeCycle()
                .startAndTransition(
                        () -> {
                            snapshots.refresh();
                            restore();
                        },
                        IOException.class);
    }

    @Override
    public void pause() {
        getLifeCycle().transition(LifeCycle.State.PAUSING);
        getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    @Override
    public void reinitialize() throws IOException {
        snapshots.refresh();
        restore();
        if (getLifeCycleState() == LifeCycle.State.PAUSED) {
            getLifeCycle().transition(LifeCycle.State.STARTING);
            getLifeCycle().transition(LifeCycle.State.RUNNING);
        }
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return snapshots;
    }

    @Override
    public TransactionContext startTransaction(RaftClientRequest request) {
        return TransactionContext.newBuilder()
                .setClientRequest(request)
                .setStateMachine(this)
                .setServerRole(RaftProtos.RaftPeerRole.LEADER)
                .setLogData(request.getMessage().getContent())
                .setStateMachineContext(request.getMessage())
                .build();
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        var entry = Objects.requireNonNull(transaction.getLogEntry());
        try {
            if (transaction.getStateMachineContext() instanceof ProposedEntry<?, ?> proposed) {
                applyOwn(entry.getIndex(), proposed);
            } else {
                replica.apply(
                        entry.getIndex(), decode(entry.getStateMachineLogEntry().getLogData()));
            }
            updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
            entriesSince++;
            bytesSince += entry.getStateMachineLogEntry().getLogData().size();
            return CompletableFuture.completedFuture(Message.EMPTY);
        } catch (IOException | RuntimeException e) {
            // Going on would let this replica differ from the others.
            LOG.atError()
                    .addKeyValue("entry", entry.getIndex())
                    .setCause(e)
                    .log("log entry could not be applied");
            failed.run();
            return CompletableFuture.failedFuture(e);
        }
    }

    @SuppressWarnings("unchecked") // made by our own RatisLog, of the same types
    private void applyOwn(long index, ProposedEntry<?, ?> entry) {
        var own = (ProposedEntry<C, R>) entry;
        var answers = replica.apply(index, own.proposals());
        for (var i = 0; i < answers.size(); i++) {
            own.members().get(i).answer().complete(answers.get(i));
        }
    }

    private List<C> decode(ByteString bytes) throws IOException {
        var proposals = new ArrayList<C>();
        try (var in = new DataInputStream(bytes.newInput())) {
            while (in.available() > 0) {
                proposals.add(codec.read(in));
            }
        }
        return proposals;
    }

    /// Starts writing a snapshot and tells which one is whole already: the log is purged up to that
    /// one.
    @Override
    public synchronized long takeSnapshot() {
        if (writing != null && writing.isAlive()) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        if (written != RaftLog.INVALID_LOG_INDEX) {
            var whole = written;
            written = RaftLog.INVALID_LOG_INDEX;
            return whole;
        }
        var mostBytes = Math.max(USUAL_BYTES, TIMES_ITS_SIZE * snapshots.newestBytes());
        if (entriesSince < snapshotEvery && bytesSince < mostBytes) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        var at = getLastAppliedTermIndex();
        if (at == null || at.getIndex() <= snapshots.newestIndex()) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        entriesSince = 0;
        bytesSince = 0;
        var image = replica.image();
        writing = Thread.ofPlatform().name("spur-snapshot").daemon().start(() -> write(at, image));
        return RaftLog.INVALID_LOG_INDEX;
    }

    private void write(TermIndex at, Replica.Image image) {
        try {
            snapshots.write(at, image);
            written = at.getIndex();
            LOG.atInfo().addKeyValue("entry", at.getIndex()).log("snapshot written");
        } catch (IOException | RuntimeException e) {
            LOG.atWarn()
                    .addKeyValue("entry", at.getIndex())
                    .setCause(e)
                    .log("snapshot not written; the log is kept");
        }
    }

    void awaitSnapshot() throws InterruptedException {
        Thread last;
        synchronized (this) {
            last = writing;
        }
        if (last != null) {
            last.join();
        }
    }

    private void restore() throws IOException {
        var snapshot = snapshots.getLatestSnapshot();
        if (snapshot == null) {
            return;
        }
        try (var in = snapshots.open(snapshot)) {
            replica.restore(in, snapshots.filesOf(snapshot.getTermIndex()));
        }
        setLastAppliedTermIndex(snapshot.getTermIndex());
    }

    @Override
    public void notifyLeaderReady() {
        tasks.leaderIsReady();
    }

    @Override
    public void notifyNotLeader(Collection<TransactionContext> pending) {
        tasks.noLongerLeader();
    }

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId self, RaftPeerId leader) {
        tasks.leaderChanged(leader.toString());
    }

    @Override
    public void notifyLogFailed(Throwable cause, RaftProtos.@Nullable LogEntryProto entry) {
        LOG.atError().setCause(cause).log("the log cannot be written");
        failed.run();
    }
}
